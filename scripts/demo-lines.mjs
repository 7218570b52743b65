/** Runs the demo and tells what a picture shows of it: the lines that carry the story, without what differs from run to run. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RALPH = fileURLToPath(new URL('../bin/ralph.js', import.meta.url));
const COLUMNS = 92;

/** Ids, hashes, folders, times and durations, and what is written in their place. */
const CHANGING = [
  [/^\d\d:\d\d:\d\d /, ''],
  [/\b20\d\d-\d\d-\d\d \d\d:\d\d\b/g, '2026-11-22 22:00'],
  [/\b20\d{6}-\d{6}-[0-9a-z]{5}\b/g, '20261122-220000-a1b2c'],
  [/\S*\/ralph-demo-\w+/g, '/tmp/ralph-demo'],
  [/\b[0-9a-f]{10}\b/g, '3dafaf93b0'],
  [/\S*node \S*bin\/ralph\.js/g, 'ralph'],
  [/,? (?:after|in) \d+(?:\.\d+)? (?:ms|s)\b/g, ''],
  [/, \d+(?:\.\d+)? (?:ms|s)\b/g, ''],
];

/** The report of the run, of which the picture shows the headline, and the review, which it shows whole: they tell the same. */
const END = /^(?:Completed|Not completed)/;
const REVIEW = /^Who comes back/;

/** Each kind of line, and how long the picture rests on it, in milliseconds. The first that fits counts. */
const STORY = [
  { says: /^── \d+ · /, restMs: 700 },
  { says: /\(It .*; watch /, restMs: 2200 },
  { says: /^ {2}▸ gate .*failed/, restMs: 1800 },
  { says: /^ {4}\| not ok/, restMs: 1600 },
  { says: /^ {2}▸ gate/, restMs: 1400 },
  { says: /^ {2}→ /, restMs: 1100 },
  { says: /is not among the tools/, restMs: 1600 },
  { says: /^ {2}✓ checkpoint/, restMs: 500 },
  { says: /^ {2}(?:Before|After) /, restMs: 1000 },
  { says: /^A team of three/, restMs: 1000 },
  { says: END, restMs: 1000 },
];
/** What the demo says to type next is no part of it. */
const BEHIND = /^Look at it:/;
/** Ordered by time, which differs from run to run. */
const BY_TIME = /^ {2}By hat /;
const END_REST_MS = 130;

/**
 * @returns {Promise<{ text: string, restMs: number }[]>} the lines of a demo that was just run
 */
export async function readDemoLines() {
  const lines = (await runDemo()).split('\n').map(toSteady);
  const from = lines.findIndex((line) => END.test(line));
  const review = lines.findIndex((line) => REVIEW.test(line));
  const to = lines.findIndex((line) => BEHIND.test(line));
  if (from === -1 || review === -1 || to === -1) throw new Error(`the demo did not end as it should:\n${lines.slice(-20).join('\n')}`);
  const story = lines.slice(0, review).flatMap((text) => {
    const kind = STORY.find(({ says }) => says.test(text));
    return kind === undefined ? [] : [{ text: text.slice(0, COLUMNS), restMs: kind.restMs }];
  });
  return [
    ...story,
    ...lines
      .slice(review, to)
      .filter((text) => !BY_TIME.test(text))
      .map((text) => ({ text, restMs: END_REST_MS })),
  ];
}

function toSteady(line) {
  return CHANGING.reduce((text, [changing, steady]) => text.replace(changing, steady), line).trimEnd();
}

function runDemo() {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, COLUMNS: String(COLUMNS), NO_COLOR: '1', LANG: 'C.UTF-8' };
    const child = spawn(process.execPath, [RALPH, 'demo'], { env, cwd: join(RALPH, '../..'), stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = { stdout: [], stderr: [] };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => chunks[name].push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(chunks.stdout).toString('utf8'));
      else reject(new Error(`the demo ended with ${code}:\n${Buffer.concat(chunks.stderr).toString('utf8')}`));
    });
  });
}
