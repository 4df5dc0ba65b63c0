// Which part of the page is shown: the fragment of the address, so that the server needs one file.

import { useEffect, useState } from "preact/hooks";

export type Route = { at: "models" } | { at: "new" } | { at: "model"; name: string };

export const routeTo = (route: Route): string =>
  route.at === "model" ? `#/models/${encodeURIComponent(route.name)}` : route.at === "new" ? "#/new" : "#/";

function current(): Route {
  const [, name] = /^#\/models\/([^/]+)$/.exec(location.hash) ?? [];
  if (name !== undefined) {
    try {
      return { at: "model", name: decodeURIComponent(name) };
    } catch {
      return { at: "models" };
    }
  }
  return location.hash === "#/new" ? { at: "new" } : { at: "models" };
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const changed = (): void => setRoute(current());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
