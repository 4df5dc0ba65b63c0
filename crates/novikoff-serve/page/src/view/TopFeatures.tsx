import { useState } from "preact/hooks";
import type { Weights } from "../api";
import { decimal } from "../format";

/** The features of the largest weights, by name. */
export function TopFeatures({ weights, hasKernel }: { weights: Weights | null; hasKernel: boolean }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const list = weights?.classes ?? [];
  const shown = list.find((one) => one.class === chosen) ?? list[0];
  const most = Math.max(...(shown?.weights.map(({ weight }) => Math.abs(weight)) ?? []), Number.MIN_VALUE);
  return (
    <section>
      <h2>Top features</h2>
      {weights?.expert !== undefined && (
        <p class="note">
          Of <code>{weights.expert}</code>, the learner with the fewest mistakes.
        </p>
      )}
      {list.length > 1 && (
        <p>
          <label for="class">For label </label>
          <select id="class" value={shown?.class} onChange={(event) => setChosen(event.currentTarget.value)}>
            {list.map((one) => (
              <option key={one.class} value={one.class}>
                {one.class}
              </option>
            ))}
          </select>
        </p>
      )}
      {shown === undefined || shown.weights.length === 0 ? (
        <p class="note">{hasKernel ? "With a kernel there is no weight per feature." : "No weights yet."}</p>
      ) : (
        <table>
          <caption>
            {list.length > 1 ? `Positive weights speak for ${shown.class}.` : `Positive weights speak for ${shown.class}, negative ones against it.`}
          </caption>
          <thead>
            <tr>
              <th scope="col">feature</th>
              <th scope="col" class="number">
                weight
              </th>
              <td class="bars" />
            </tr>
          </thead>
          <tbody>
            {shown.weights.map(({ feature, weight }) => (
              <tr key={feature}>
                <th scope="row">{feature}</th>
                <td class="number">{decimal(weight)}</td>
                <td class="bars" aria-hidden="true">
                  <div class={weight < 0 ? "bar against" : "bar"} style={{ width: `${(50 * Math.abs(weight)) / most}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
