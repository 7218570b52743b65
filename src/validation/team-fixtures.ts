import fc from 'fast-check';

/** Every comment of a text, in its order. */
export function listComments(text: string): readonly string[] {
  return [...text.matchAll(/# ?[^\r\n]*/g)].map(([comment]) => comment.trimEnd());
}

type Random = (below: number) => number;

/** A team whose events go round, written in many manners, with comments everywhere and some mistakes. */
export function drawTeam(): fc.Arbitrary<string> {
  const numbers = fc.infiniteStream(fc.nat());
  return fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 5 }), numbers).map(([size, mistakes, stream]) => {
    const random: Random = (below) => (stream.next().value as number) % below;
    return writeTeam(size, mistakes, random);
  });
}

function writeTeam(size: number, mistakes: number, random: Random): string {
  const hats = Array.from({ length: size }, (_, index) => writeHat(index, size, random)).flat();
  const loop =
    random(2) === 0
      ? []
      : ['event_loop:', `  max_iterations: ${5 + random(90)}`, '  strict_validation: true', '  terminal_events: [ship.it]'];
  const lines = random(2) === 0 ? [...loop, 'hats:', ...hats] : ['hats:', ...hats, ...loop];
  const commented = lines.flatMap((line, index) => [
    ...(random(6) === 0 ? [`${/^ */.exec(line)?.[0] ?? ''}# above ${index}`] : []),
    random(3) === 0 ? `${line} # beside ${index}` : line,
  ]);
  let text = commented.join('\n') + (random(4) === 0 ? '' : '\n# end\n');
  for (let count = 0; count < mistakes; count += 1) text = plantMistake(text, random);
  return random(4) === 0 ? text.replaceAll('\n', '\r\n') : text;
}

function writeHat(index: number, size: number, random: Random): readonly string[] {
  const before = `step${(index + size - 1) % size}.done`;
  const triggers = index === 0 ? ['task.start', 'task.resume', before] : [before];
  const publishes = [`step${index}.done`];
  return [
    `  ${index === 0 ? 'planner' : `worker${index}`}:`,
    ...(random(2) === 0 ? [] : ['    backend: claude']),
    ...writeList('triggers', triggers, random),
    ...writeList('publishes', publishes, random),
    ...(random(3) === 0 ? ['    instructions: |', '      Do it well.', ''] : []),
  ];
}

function writeList(key: string, items: readonly string[], random: Random): readonly string[] {
  const quote = ['', '"', "'"][random(3)] ?? '';
  const words = items.map((item) => quote + item + quote);
  const manner = random(4);
  if (manner === 0) return [`    ${key}:`, ...words.map((word) => `      - ${word}`)];
  if (manner === 1) return [`    ${key}:`, ...words.map((word) => `    - ${word}`)];
  if (manner === 2 && words.length === 1) return [`    ${key}: ${words[0]}`];
  return [`    ${key}: [${words.join(random(2) === 0 ? ', ' : ' ,')}]`];
}

const MISTAKES: readonly (readonly [from: RegExp, to: string])[] = [
  [/triggers:/, 'trigers:'],
  [/publishes:/, 'publish:'],
  [/max_iterations/, 'max_iteration'],
  [/strict_validation: true/, 'strict_validation: yes'],
  [/backend: claude/, 'backend: cluade'],
  [/step(\d)\.done/, 'stpe$1.done'],
  [/step(\d)\.done/, 'step$1*'],
  [/step(\d)\.done/, 'other$1.thing'],
  [/, task\.resume|task\.resume ?, ?/, ''],
  [/ship\.it/, 'shpi it'],
  [/triggers: /, 'triggers: &list '],
  [/ {4}triggers:/, '    subscriptions: []\n    triggers:'],
  [/\[/, '[ # open\n      '],
  [/:\n {6}- /, ':\n\n      -   '],
];

/** Makes one mistake somewhere, if there is a place for it. */
function plantMistake(text: string, random: Random): string {
  const [from, to] = MISTAKES[random(MISTAKES.length)] ?? [/$/, ''];
  const places = [...text.matchAll(new RegExp(from, 'g'))];
  const place = places[random(Math.max(1, places.length))];
  if (place === undefined) return text;
  return text.slice(0, place.index) + place[0].replace(from, to) + text.slice(place.index + place[0].length);
}

/** Ways in which somebody breaks a team that was in order: each takes one match of the text and says what stands there instead. */
const BREAKS: readonly (readonly [place: RegExp, toBroken: (found: string, random: Random) => string])[] = [
  // A letter of a topic is missing, or two are the wrong way round.
  [/(?<=(?:triggers|publishes): \[[^\]\n]*)[a-z]{4,}(?=\.[a-z])/g, misspell],
  [/(?<=(?:triggers|publishes): \[[^\]\n]*\.)[a-z]{4,}/g, misspell],
  // An entry of a list is gone, or another topic stands there.
  [/(?<=(?:triggers|publishes): \[[^\]\n]*), [\w.]+/g, () => ''],
  [/(?<=(?:triggers|publishes): \[)[\w.]+, /g, () => ''],
  [
    /(?<=(?:triggers|publishes): \[[^\]\n]*)[\w]+\.[\w]+/g,
    (_, random) => ['other.thing', 'task.start', 'build*', 'build.done'][random(4)] ?? '',
  ],
  // A key is misspelt, of another tool, or gone.
  [/^ {4}(?:triggers|publishes|instructions|description|backend|profile)(?=:)/gm, misspell],
  [/^ {4}publishes(?=:)/gm, () => '    emits'],
  [/^ {4}instructions(?=:)/gm, () => '    prompt'],
  [/^ {4}(?:triggers|publishes|default_publishes): \[?[^\n]*\n/gm, () => ''],
  [/^ {2}(?:recovery_hat|starting_event|starting_hat|terminal_events|completion_promise|required_events): [^\n]*\n/gm, () => ''],
  [/^ {2}[\w]+(?=:\n {4})/gm, misspell],
  // What the loop is told fits no longer.
  [/$(?![\s\S])/g, (_, random) => `event_loop: {recovery_hat: ${['builder', 'reviewer', 'planner', 'fixer', 'tester'][random(5)]}}\n`],
  [
    /^hats:/gm,
    (_, random) =>
      `event_loop:\n  ${['completion_promise: ALL_DONE', 'coordinator: hats', 'recovery_hat: builder', 'starting_event: work.start', 'strict_validation: yes', 'max_iteration: 9'][random(6)]}\nhats:`,
  ],
];

function misspell(word: string, random: Random): string {
  const at = word.length - 1 - random(Math.min(4, word.trim().length - 2));
  return random(2) === 0 ? word.slice(0, at) + word.slice(at + 1) : word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1);
}

/** Good teams with one to three mistakes in each: the same ones for the same count. */
export function listBrokenTeams(good: readonly string[], count: number): readonly string[] {
  const draw = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 3 }), fc.infiniteStream(fc.nat())).map(([pick, mistakes, stream]) => {
    const random: Random = (below) => (stream.next().value as number) % below;
    let text = good[pick % good.length] ?? '';
    for (let made = 0; made < mistakes; made += 1) text = breakOnce(text, random);
    return text;
  });
  return fc.sample(draw, { numRuns: count, seed: 20_261_122 });
}

function breakOnce(text: string, random: Random): string {
  const [place = /$/g, toBroken = () => ''] = BREAKS[random(BREAKS.length)] ?? [];
  const found = [...text.matchAll(place)];
  const chosen = found[random(Math.max(1, found.length))];
  if (chosen === undefined) return text;
  return text.slice(0, chosen.index) + toBroken(chosen[0], random) + text.slice(chosen.index + chosen[0].length);
}
