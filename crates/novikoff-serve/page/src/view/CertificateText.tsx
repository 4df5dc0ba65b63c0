import type { Certificate } from "../api";
import type { Feed } from "../feed";
import { count, percent, upper } from "../format";
import { Notice } from "./Notice";

/** What a certificate says, as a sentence. */
function Sentence({ certificate, seq }: { certificate: Certificate; seq: number }) {
  const noun = certificate.counts ?? "mistakes";
  const counted = certificate.updates ?? certificate.mistakes;
  const bound = certificate.bound === null ? "no finite number" : upper(certificate.bound);
  const gap = certificate.comparator?.relative_gap;
  const { expert, composed } = certificate;
  return (
    <>
      <p class={certificate.holds === false ? "certificate broken" : "certificate"}>
        <b>
          {count(counted)} {noun} ≤ {bound}
        </b>{" "}
        by theorem {certificate.theorem} ({certificate.name}) over the first {count(seq)} rows.
        {certificate.holds === false && " The bound does not hold: this is an error of the program."}
        {certificate.expected === true && " The bound is in expectation over the learner's coins."}
        {certificate.vacuous === true && " The bound is vacuous: it is no smaller than the number of rows."}
      </p>
      {expert !== undefined && typeof composed === "number" && (
        <p class="note">
          Through theorem {expert.theorem} of its learner <code>{expert.spec}</code>, which compares with the best vector in hindsight: at most {upper(composed)}.
        </p>
      )}
      {typeof gap === "number" && <p class="note">No comparator gives a bound that is more than {percent(gap)} lower.</p>}
    </>
  );
}

/** The certificate of the run, and buttons for another. */
export function CertificateText({ feed }: { feed: Feed }) {
  const { certificate: reply, certifying } = feed;
  return (
    <>
      {reply?.certificate != null && <Sentence certificate={reply.certificate} seq={reply.seq} />}
      {reply !== null && reply.certificate === null && <p class="certificate">There is no bound: {reply.reason ?? "the server gives no reason"}.</p>}
      <Notice text={feed.certificateError} />
      <div class="buttons">
        <button type="button" class="plain" aria-disabled={certifying} onClick={() => void feed.certify("quick")}>
          {certifying ? "Certifying…" : "Refresh the bound"}
        </button>
        <button type="button" class="plain" aria-disabled={certifying} onClick={() => void feed.certify("full")}>
          Search for a smaller one
        </button>
      </div>
    </>
  );
}
