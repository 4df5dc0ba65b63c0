import type { Description } from "../api";
import { bytes, count, decimal, lastRows, percent, rate } from "../format";

/** The numbers of a model. */
export function ModelFacts({ model, perSecond }: { model: Description; perSecond: number }) {
  const { spec, options, rows, mistakes, updates, validation, window, features, classes } = model;
  const facts: [string, string, string?][] = [
    ["rows", count(rows)],
    ["rows per second", perSecond < 10 ? decimal(Number(perSecond.toFixed(1))) : count(Math.round(perSecond))],
    ["mistakes", count(mistakes), rate(mistakes, rows)],
    [lastRows(window.rows), count(window.mistakes), rate(window.mistakes, window.rows)],
    ["validation errors", validation === null ? "–" : count(validation.errors), percent(validation?.error)],
    ["updates", count(updates)],
    ["features", count(features)],
    ["labels", count(classes.length), classes.slice(0, 4).join(", ") + (classes.length > 4 ? ", …" : "")],
    ["memory", bytes(model.bytes)],
  ];
  const given = Object.entries(options).map(([key, value]) => `${key} ${Array.isArray(value) ? value.join(", ") : value}`);
  return (
    <section aria-label="Numbers">
      <p class="spec">
        <code>{spec}</code>
        {given.length > 0 && <span class="note"> {given.join(" · ")}</span>}
      </p>
      <dl class="facts wide">
        {facts.map(([name, value, more], i) => (
          <div key={i}>
            <dt>{name}</dt>
            <dd>
              {value}
              {more !== undefined && more !== "" && <span class="note"> {more}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
