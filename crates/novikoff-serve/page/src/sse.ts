// Server-sent events by `fetch`: EventSource cannot send a bearer token.

import { send } from "./api";

export interface ServerEvent {
  name: string;
  data: string;
}

/** The server gives a sign of life every 15 seconds; a connection without one for this long is dead. */
const SILENCE = 40_000;

/** The event of a block of lines; null for comments. */
export function parseEvent(block: string): ServerEvent | null {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 ? null : { name, data: data.join("\n") };
}

/** Reads events until the connection ends. Calls `opened` once the server has answered. */
export async function readEvents(
  path: string,
  signal: AbortSignal,
  opened: () => void,
  handle: (event: ServerEvent) => void,
): Promise<void> {
  const silent = new AbortController();
  let watch = setTimeout(() => silent.abort(), SILENCE);
  try {
    const reply = await send("GET", path, undefined, AbortSignal.any([signal, silent.signal]));
    if (reply.body === null) return;
    opened();
    const reader = reply.body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(() => silent.abort(), SILENCE);
      rest += decoder.decode(value, { stream: true }).replaceAll("\r", "");
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event !== null) handle(event);
      }
    }
  } finally {
    clearTimeout(watch);
  }
}
