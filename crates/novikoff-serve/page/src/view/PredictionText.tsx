import type { Predicted } from "../api";
import { count, decimal, percent, plural } from "../format";

/** The answer for one row. */
export function PredictionText({ reply }: { reply: Predicted }) {
  const prediction = reply.predictions[0];
  if (prediction === undefined) return null;
  const { label, margin, margins, probability, probabilities } = prediction;
  const each = Object.entries(margins ?? {}).sort(([, a], [, b]) => b - a);
  return (
    <div class="answer">
      {label === null ? (
        <p>No label yet: the model has learned nothing.</p>
      ) : (
        <p>
          <strong class="label">{label === "" ? "no label" : label}</strong> margin {decimal(margin)}
          {probability !== undefined && `, probability ${percent(probability)}`}
          <span class="note"> after {plural(reply.seq, "row")}</span>
        </p>
      )}
      {reply.unknown > 0 && <p class="note">The model does not know {count(reply.unknown)} of the features.</p>}
      {each.length > 0 && (
        <ul class="chips" aria-label="margins">
          {each.slice(0, 12).map(([name, value]) => (
            <li key={name}>
              {name} {decimal(value)}
              {probabilities?.[name] !== undefined && ` (${percent(probabilities[name])})`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
