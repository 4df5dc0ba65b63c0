import { useEffect, useState } from "preact/hooks";
import { type Description, call, said } from "../api";
import { routeTo } from "../route";
import { onToken } from "../token";
import { ModelCard } from "./ModelCard";
import { Notice } from "./Notice";

/** Milliseconds between two looks at all models. */
const EVERY = 2000;

/** All models at a glance. */
export function ModelList() {
  const [models, setModels] = useState<Description[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let wait = EVERY;
    let timer = 0;
    const look = async (): Promise<void> => {
      clearTimeout(timer);
      if (!document.hidden) {
        try {
          const { models } = await call<{ models: Description[] }>("GET", "/v1/models", undefined, stop.signal);
          setModels(models);
          setProblem(null);
          wait = EVERY;
        } catch (error) {
          if (stop.signal.aborted) return;
          setProblem(said(error));
          wait = 2 * EVERY;
        }
      }
      timer = setTimeout(() => void look(), wait);
    };
    const forget = onToken(() => void look());
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
      forget();
    };
  }, []);
  return (
    <>
      <h1>Models</h1>
      <Notice text={problem} />
      {models === null && problem === null && <p role="status">Looking for models…</p>}
      {models?.length === 0 && (
        <p>
          There is no model yet. <a href={routeTo({ at: "new" })}>Make one.</a>
        </p>
      )}
      {models !== null && models.length > 0 && (
        <ul class="cards">
          {models.map((model) => (
            <li key={model.name}>
              <ModelCard model={model} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
