import { useRef, useState } from "preact/hooks";
import { type Learned, type Predicted, call, pathOf, said } from "../api";
import { count } from "../format";
import { parseRow, requestId } from "../row";
import { Notice } from "./Notice";
import { PredictionText } from "./PredictionText";

type Answer = { kind: "predicted"; reply: Predicted } | { kind: "learned"; reply: Learned; label: string };

/** A form to ask for a row, and to teach its label. */
export function TryRow({ name, classes }: { name: string; classes: string[] }) {
  const [text, setText] = useState("");
  const [label, setLabel] = useState("");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  // the id of a request that was not answered is used again, so that the row is learned once
  const unanswered = useRef<{ of: string; id: string } | null>(null);

  const work = async (job: () => Promise<Answer>): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      setAnswer(await job());
    } catch (error) {
      setAnswer(null);
      setProblem(said(error));
    }
    setBusy(false);
  };
  const predict = (): Promise<void> =>
    work(async () => {
      const rows = [{ features: parseRow(text) }];
      return { kind: "predicted", reply: await call<Predicted>("POST", `${pathOf(name)}/predict`, { rows }) };
    });
  const teach = (): Promise<void> =>
    work(async () => {
      const wanted = label.trim();
      if (wanted === "") throw new Error("there is no label; type the one that is right for the row");
      const rows = [{ features: parseRow(text), label: wanted.includes(",") ? wanted.split(",").map((one) => one.trim()) : wanted }];
      const of = JSON.stringify([name, rows]);
      const id = unanswered.current?.of === of ? unanswered.current.id : requestId();
      unanswered.current = { of, id };
      const reply = await call<Learned>("POST", `${pathOf(name)}/learn`, { id, rows });
      unanswered.current = null;
      return { kind: "learned", reply, label: wanted };
    });
  return (
    <section>
      <h2>Try a row</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void predict();
        }}
      >
        <label for="row">Features</label>
        <textarea
          id="row"
          rows={4}
          spellcheck={false}
          value={text}
          aria-describedby="row-note"
          placeholder={"offer=1\ncity=Oslo"}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <p id="row-note" class="note">
          One <code>name=value</code> per line, or JSON: an object by name, an array of numbers, or <code>[index, value]</code> pairs.
        </p>
        <label for="label">Label, to teach it</label>
        <input id="label" list="labels" autocomplete="off" value={label} onInput={(event) => setLabel(event.currentTarget.value)} />
        <datalist id="labels">
          {classes.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <div class="buttons">
          <button type="submit" aria-disabled={busy}>
            Predict
          </button>
          <button type="button" aria-disabled={busy} onClick={() => void teach()}>
            Teach
          </button>
        </div>
      </form>
      <Notice text={problem} />
      <div role="status">
        {answer?.kind === "predicted" && <PredictionText reply={answer.reply} />}
        {answer?.kind === "learned" && (
          <p class="answer">
            {answer.reply.repeated === true
              ? "This row was learned before, and was not learned again."
              : `Learned ${answer.label}; it was taken for ${answer.reply.predictions?.[0]?.label || "nothing"}: ${answer.reply.predictions?.[0]?.mistake ? "a mistake" : "no mistake"}.`}{" "}
            Row {count(answer.reply.seq)}.
          </p>
        )}
      </div>
    </section>
  );
}
