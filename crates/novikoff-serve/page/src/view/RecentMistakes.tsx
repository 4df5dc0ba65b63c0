import { useState } from "preact/hooks";
import type { Mistake } from "../api";
import { count, decimal } from "../format";

/** Mistakes that are shown before more is asked for. */
const FEW = 8;

/** Features of a mistake that are shown before more is asked for. */
const FEW_FEATURES = 12;

const shown = ([name, value]: [string, unknown]): string =>
  value === 1 ? name : `${name} ${typeof value === "number" ? decimal(value) : String(value)}`;

/** The last mistakes: what the rows were, and what they were taken for. */
export function RecentMistakes({ mistakes }: { mistakes: Mistake[] | null }) {
  const [all, setAll] = useState(false);
  const list = mistakes ?? [];
  return (
    <section>
      <h2>Recent mistakes</h2>
      {list.length === 0 && <p class="note">None since the server was started.</p>}
      <ol class="mistakes">
        {list.slice(0, all ? list.length : FEW).map((mistake) => {
          const features = Object.entries(mistake.features).map(shown);
          const more = features.slice(FEW_FEATURES);
          return (
            <li key={mistake.seq}>
              <p>
                <strong>{mistake.label}</strong> taken for <strong>{mistake.predicted === "" ? "nothing" : mistake.predicted}</strong>
                <span class="note"> row {count(mistake.seq)}</span>
              </p>
              <ul class="chips" aria-label={`features of row ${mistake.seq}`}>
                {features.slice(0, FEW_FEATURES).map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
              {more.length > 0 && (
                <details>
                  <summary>{count(more.length)} more</summary>
                  <ul class="chips" aria-label={`further features of row ${mistake.seq}`}>
                    {more.map((text) => (
                      <li key={text}>{text}</li>
                    ))}
                  </ul>
                </details>
              )}
            </li>
          );
        })}
      </ol>
      {list.length > FEW && (
        <button type="button" class="plain" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `Show all ${list.length}`}
        </button>
      )}
    </section>
  );
}
