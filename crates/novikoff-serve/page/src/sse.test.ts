import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEvent, readEvents } from "./sse";

test("blocks of lines are events, and comments are none", () => {
  assert.deepEqual(parseEvent('event: model\nid: 3\ndata: {"seq":3}'), { name: "model", data: '{"seq":3}' });
  assert.deepEqual(parseEvent("data:a\ndata: b"), { name: "message", data: "a\nb" });
  assert.equal(parseEvent(": alive"), null);
});

test("events that are cut anywhere are read whole", async () => {
  const text = 'event: model\r\ndata: "Ålesund"\r\n\r\n: alive\n\nevent: model\ndata: 2\n\nevent: model\ndata: unfinished';
  const bytes = new TextEncoder().encode(text);
  globalThis.sessionStorage = { getItem: () => "secret" } as unknown as Storage;
  let header: string | null = null;
  for (let cut = 1; cut < bytes.length; cut++) {
    globalThis.fetch = async (_, init) => {
      header = (init?.headers as Headers).get("Authorization");
      const parts = [bytes.slice(0, cut), bytes.slice(cut)];
      return new Response(new ReadableStream({ start: (stream) => { parts.forEach((part) => stream.enqueue(part)); stream.close(); } }));
    };
    const heard: string[] = [];
    let opened = 0;
    await readEvents("/events", new AbortController().signal, () => { opened += 1; }, (event) => heard.push(event.data));
    assert.deepEqual([opened, heard], [1, ['"Ålesund"', "2"]]);
  }
  assert.equal(header, "Bearer secret");
});
