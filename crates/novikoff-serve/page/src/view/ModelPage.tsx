import { useEffect, useState } from "preact/hooks";
import { Feed } from "../feed";
import { onToken } from "../token";
import { Connection } from "./Connection";
import { ErrorRate } from "./ErrorRate";
import { Experts } from "./Experts";
import { MistakesAgainstBound } from "./MistakesAgainstBound";
import { ModelFacts } from "./ModelFacts";
import { RecentMistakes } from "./RecentMistakes";
import { Storage } from "./Storage";
import { TopFeatures } from "./TopFeatures";
import { TryRow } from "./TryRow";

/** One model, live. */
export function ModelPage({ name }: { name: string }) {
  const [feed, setFeed] = useState<Feed | null>(null);
  const [, redraw] = useState(0);
  useEffect(() => {
    const draw = (): void => redraw((n) => n + 1);
    let feed = new Feed(name, draw);
    setFeed(feed);
    const forget = onToken(() => {
      feed.stop();
      feed = new Feed(name, draw);
      setFeed(feed);
    });
    // rows per second fall when nothing is heard
    const clock = setInterval(draw, 1000);
    return () => {
      feed.stop();
      forget();
      clearInterval(clock);
    };
  }, [name]);
  const model = feed?.description ?? null;
  return (
    <>
      <div class="heading">
        <h1>{name}</h1>
        {feed !== null && <Connection link={feed.link} />}
      </div>
      {feed !== null && model !== null && (
        <>
          <ModelFacts model={model} perSecond={feed.pace.perSecond()} />
          <div class="columns">
            <MistakesAgainstBound feed={feed} model={model} />
            <ErrorRate points={feed.points} model={model} />
            <div class="stack">
              <TryRow name={name} classes={model.classes} />
              <RecentMistakes mistakes={feed.mistakes} />
            </div>
            <div class="stack">
              {feed.weights?.experts !== undefined && <Experts experts={feed.weights.experts} seq={feed.weights.seq} />}
              <TopFeatures weights={feed.weights} hasKernel={(model.options.kernel ?? "linear") !== "linear"} />
              <Storage model={model} />
            </div>
          </div>
        </>
      )}
    </>
  );
}
