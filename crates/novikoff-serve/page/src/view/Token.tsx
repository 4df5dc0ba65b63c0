import { useState } from "preact/hooks";
import { setToken, token } from "../token";

/** The access token, for servers that ask for one. */
export function Token() {
  const [typed, setTyped] = useState(token);
  const [kept, setKept] = useState(token() !== "");
  const use = (value: string): void => {
    setTyped(value);
    setToken(value);
    setKept(value !== "");
  };
  return (
    <details class="token">
      <summary>{kept ? "Access token: set" : "Access token"}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          use(typed.trim());
        }}
      >
        <label for="token">Bearer token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          aria-describedby="token-note"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <div class="buttons">
          <button type="submit">Use</button>
          <button type="button" class="plain" onClick={() => use("")}>
            Forget
          </button>
        </div>
        <p id="token-note" class="note">
          This tab keeps it until it is closed. A server without a token file needs none.
        </p>
      </form>
    </details>
  );
}
