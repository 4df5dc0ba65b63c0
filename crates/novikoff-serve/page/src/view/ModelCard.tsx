import type { Description } from "../api";
import { count, lastRows, rate } from "../format";
import { routeTo } from "../route";

/** One model of the list. */
export function ModelCard({ model }: { model: Description }) {
  const { name, spec, rows, mistakes, window, validation, classes, log } = model;
  return (
    <article class="card">
      <h2>
        <a href={routeTo({ at: "model", name })}>{name}</a>
      </h2>
      <p class="spec">
        <code>{spec}</code>
        {classes.length > 0 && <span class="note"> {count(classes.length)} labels</span>}
      </p>
      <dl class="facts">
        <div>
          <dt>rows</dt>
          <dd>{count(rows)}</dd>
        </div>
        <div>
          <dt>mistakes</dt>
          <dd>{count(mistakes)}</dd>
        </div>
        <div>
          <dt>validation error</dt>
          <dd>{rate(validation?.errors ?? 0, validation?.rows ?? 0)}</dd>
        </div>
        <div>
          <dt>{lastRows(window.rows)}</dt>
          <dd>{rate(window.mistakes, window.rows)}</dd>
        </div>
      </dl>
      {log.blocked !== null && <p class="notice">learns nothing now: {log.blocked}</p>}
    </article>
  );
}
