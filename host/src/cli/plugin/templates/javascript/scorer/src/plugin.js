// A scorer: judges the page's events. This one expects a form field to hold a value.
//
//   [scorer.settings]
//   field = "code"
//   value = "{code}"
//
// Values follow the interfaces in vendor/wit: records are objects in camelCase, variants are { tag, val }, an absent
// option is null, an export's error is thrown as its value.

const RIGHT = "code_entered";
const WRONG = "wrong_code";

function judge(variantValues, pageEvents) {
  const { settings } = JSON.parse(variantValues);
  const right = first(settings, pageEvents);
  return right === null ? null : right ? RIGHT : WRONG;
}

function scoreEpisode(episode) {
  const { settings } = JSON.parse(episode.variantValues);
  if (settings.field === undefined || settings.value === undefined) {
    throw { tag: "unscorable", val: "[scorer.settings] needs field and value" };
  }
  if (!["pending", "timeout", RIGHT, WRONG].includes(episode.pageResult)) {
    throw { tag: "malformed-result", val: `the page's result is ${episode.pageResult}` };
  }
  const right = first(settings, episode.pageEvents);
  return {
    value: right ? 1 : 0,
    passed: right === true,
    metrics: [{ name: "duration", value: Number(episode.duration.milliseconds) / 1000, unit: "s" }],
    explanation: right === null ? "Nothing was submitted." : `The field held ${right ? "it" : "something else"}.`,
  };
}

/// Whether the first submission is right; null before there is one.
function first(settings, events) {
  const submitted = events.find((event) => event.name === "submit");
  const held = submitted && JSON.parse(submitted.data).values?.[settings.field];
  return typeof held === "string" ? held.trim() === settings.value : null;
}

export const scorer = { judge, scoreEpisode };
