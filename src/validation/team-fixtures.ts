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
