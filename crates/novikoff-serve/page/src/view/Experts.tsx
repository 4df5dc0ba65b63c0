import type { Expert } from "../api";
import { count, percent } from "../format";

/** The learners of `auto`: how often each was wrong, and how much it counts. */
export function Experts({ experts, seq }: { experts: Expert[]; seq: number }) {
  const byWeight = [...experts].sort((a, b) => b.weight - a.weight || a.mistakes - b.mistakes);
  return (
    <section>
      <h2>Learners</h2>
      <table>
        <caption>Their weighted majority answers. After {count(seq)} rows:</caption>
        <thead>
          <tr>
            <th scope="col">learner</th>
            <th scope="col" class="number">
              mistakes
            </th>
            <th scope="col" class="number">
              weight
            </th>
            <td class="shares" />
          </tr>
        </thead>
        <tbody>
          {byWeight.map(({ spec, mistakes, weight, retired, reason }) => (
            <tr key={spec}>
              <th scope="row">
                <code>{spec}</code>
                {retired !== null && (
                  <span class="note">
                    {" "}
                    retired before row {count(retired)}
                    {reason !== undefined && `: ${reason}`}
                  </span>
                )}
              </th>
              <td class="number">{count(mistakes)}</td>
              <td class="number">{percent(weight)}</td>
              <td class="shares" aria-hidden="true">
                <div class="share" style={{ width: `${100 * weight}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
