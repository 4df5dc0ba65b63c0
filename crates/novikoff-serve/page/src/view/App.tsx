import { useEffect, useRef } from "preact/hooks";
import { routeTo, useRoute } from "../route";
import { CreateModel } from "./CreateModel";
import { ModelList } from "./ModelList";
import { ModelPage } from "./ModelPage";
import { Token } from "./Token";

/** The whole page: a head, and the part that the address names. */
export function App() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const title = route.at === "model" ? route.name : route.at === "new" ? "New model" : "Models";
  useEffect(() => {
    document.title = `${title} · novikoff`;
    // those who cannot see the change are taken to it
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [title]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header>
        <a class="brand" href={routeTo({ at: "models" })}>
          novikoff
        </a>
        <nav aria-label="Page">
          <a href={routeTo({ at: "models" })} aria-current={route.at === "models" ? "page" : undefined}>
            Models
          </a>
          <a href={routeTo({ at: "new" })} aria-current={route.at === "new" ? "page" : undefined}>
            New model
          </a>
          <a href="/openapi.json">API</a>
        </nav>
        <Token />
      </header>
      <main ref={main} tabIndex={-1}>
        {route.at === "models" && <ModelList />}
        {route.at === "new" && <CreateModel />}
        {route.at === "model" && <ModelPage key={route.name} name={route.name} />}
      </main>
    </>
  );
}
