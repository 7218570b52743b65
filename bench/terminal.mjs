/** What the terminal view costs: until its first frame, and from an input on disk to the terminal. */
import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withBundle } from './bundle.mjs';
import { ms, pause, row, shareOf, summarise, toBudget, toPair } from './measure.mjs';
import { openTerminal, toTerminalEnvironment, whyNoTerminal } from './pseudo-terminal.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const RUN_ID = '20261121-101010-abcde';
const WATCH = `'${process.execPath}' '${RALPH}' watch --read-only`;
const BARE = `'${process.execPath}' -e 0`;
/** Says what its main thread has had of a core when its first line runs. */
const BARE_CPU = `'${process.execPath}' -e "const cpu=require('node:fs').readFileSync('/proc/self/schedstat','latin1');require('node:fs').writeSync(1,'cpu '+cpu)"`;
/** Runs of so many inputs, what their first frame may take, and how often it is looked at. Only a long run may say first that it is being read. */
const FIRST_FRAMES = [
  { inputs: 1000, budgetMs: 60, runs: 25, mayRead: false },
  { inputs: 100_000, budgetMs: 300, runs: 5, mayRead: true },
];
/** Where everything is slow, fewer of them are enough. */
const LIMIT_MS = 40_000;
const EVENTS = 200;
/** Further apart than frames are held back, as inputs of a run are. */
const PAUSE_MS = 45;
const READING = 'READING';

export async function benchTerminal() {
  const whyNot = whyNoTerminal();
  if (whyNot !== null) return [row('`ralph watch`', `not measured: ${whyNot}`, '', '')];
  return withBundle(new URL('./faces.ts', import.meta.url), async (file) => {
    const { writeJournal } = await import(pathToFileURL(file).href);
    const rows = [];
    for (const wish of FIRST_FRAMES) rows.push(await benchFirstFrame(writeJournal, wish));
    return [...rows, await benchEvents(writeJournal)];
  });
}

const toEnvironment = (cwd) => toTerminalEnvironment({ XDG_STATE_HOME: join(cwd, 'state') });
const toJournal = (cwd) => join(cwd, '.ralph/runs', RUN_ID, 'journal.jsonl');

/** In turn with Node alone, which is started and ended in the same kind of terminal. */
async function benchFirstFrame(writeJournal, { inputs, budgetMs, runs, mayRead }) {
  return withFolder({}, async (cwd) => {
    writeJournal(toJournal(cwd), RUN_ID, inputs).close();
    const env = toEnvironment(cwd);
    // Its compiled code is kept at its end, as after the first view that a person leaves.
    await timeFrames({ cwd, env });
    const [frames, bare, bareCpu] = [[], [], []];
    const until = performance.now() + LIMIT_MS;
    while (frames.length < 2 || (frames.length < runs && performance.now() < until)) {
      frames.push(await timeFrames({ cwd, env }));
      bare.push(await timeBare({ cwd, env }));
      bareCpu.push(await readBareCpu({ cwd, env }));
    }
    const read = (name) => summarise(frames.map((frame) => frame[name]));
    const node = summarise(bare);
    const [first, whole] = [read('firstMs'), read('wholeMs')];
    const counted = mayRead ? first : whole;
    const ownMs = counted.min - node.min;
    const cpuMs = read(mayRead ? 'firstCpuMs' : 'wholeCpuMs').min - summarise(bareCpu).min;
    const isReading = frames.filter((frame) => frame.isReading).length;
    const rest = mayRead
      ? `the whole screen ${ms(whole.min - node.min)} after it`
      : `${isReading} of ${frames.length} said first that they read, and count until they did not; that first frame came ${ms(first.min - node.min)} after Node's own start`;
    return row(
      `\`ralph watch\`, ${inputs.toLocaleString('en')} inputs: until the first frame is written`,
      ms(counted.min),
      `\`node -e 0\` ${ms(node.min)}`,
      `${(counted.min / node.min).toFixed(2)} x`,
      `**${ms(ownMs)} after Node's own start**, ${toBudget(ms(budgetMs), ownMs <= budgetMs)}; its main thread has had ${ms(cpuMs)} of a core by then; medians ${ms(counted.median)} and ${ms(node.median)}; ${rest}; min of ${frames.length}`,
    );
  });
}

async function timeFrames(place) {
  const terminal = await openTerminal(WATCH, place);
  const firstAt = await terminal.until(({ frames }) => frames > 0);
  const firstCpuMs = terminal.readCpuMs();
  let isReading = false;
  const wholeAt = await terminal.until(({ headline }) => {
    isReading ||= headline.includes(READING);
    return headline !== '' && !headline.includes(READING);
  });
  const wholeCpuMs = terminal.readCpuMs();
  await terminal.leave();
  return { firstMs: firstAt - terminal.startedAt, wholeMs: wholeAt - terminal.startedAt, firstCpuMs, wholeCpuMs, isReading };
}

async function timeBare(place) {
  const terminal = await openTerminal(BARE, place);
  const endedAt = await terminal.until(({ hasEnded }) => hasEnded);
  await terminal.exited;
  return endedAt - terminal.startedAt;
}

async function readBareCpu(place) {
  const terminal = await openTerminal(BARE_CPU, place);
  let cpuMs = 0;
  await terminal.until(({ text }) => {
    cpuMs = Number(/cpu (\d+) /.exec(text)?.[1] ?? 0) / 1e6;
    return cpuMs > 0;
  });
  await terminal.exited;
  return cpuMs;
}

/** From just before an input is appended and synced until the terminal has its number; beside a byte that goes the same way. */
async function benchEvents(writeJournal) {
  return withFolder({}, async (cwd) => {
    const journal = writeJournal(toJournal(cwd), RUN_ID, 1000);
    const ours = await timeInputs(cwd, journal);
    journal.close();
    const theirs = await timeBytes(cwd);
    const [p50, p99] = [shareOf(ours, 0.5), shareOf(ours, 0.99)];
    return row(
      '`ralph watch`, from just before an input is appended and synced to the terminal, p50 and p99',
      toPair(ours),
      `append, sync, \`fs.watch\`, terminal ${toPair(theirs)}`,
      `${(p50 / shareOf(theirs, 0.5)).toFixed(2)} x, ${(p99 / shareOf(theirs, 0.99)).toFixed(2)} x`,
      `${toBudget('20 and 100 ms', p50 <= 20 && p99 <= 100)}; ${EVENTS} inputs, 1,000 before them`,
    );
  });
}

async function timeInputs(cwd, journal) {
  const terminal = await openTerminal(WATCH, { cwd, env: toEnvironment(cwd) });
  await terminal.until(({ headline }) => /input \d/.test(headline) && !headline.includes(READING));
  const times = [];
  for (let count = 0; count < EVENTS; count += 1) {
    await pause(PAUSE_MS + Math.random() * 10);
    const startedAt = performance.now();
    const seq = journal.append();
    const isThere = new RegExp(`input ${seq}\\b`);
    times.push((await terminal.until(({ headline }) => isThere.test(headline))) - startedAt);
  }
  await terminal.leave();
  return times;
}

const ANCHOR = "const{watch}=require('node:fs');watch(process.argv[1],()=>process.stdout.write('x'));process.stdout.write('.')";

async function timeBytes(cwd) {
  const path = join(cwd, 'anchor');
  writeFileSync(path, '');
  const terminal = await openTerminal(`'${process.execPath}' -e "${ANCHOR}" '${path}'`, { cwd, env: toEnvironment(cwd) });
  await terminal.until(({ text }) => text.includes('.'));
  const file = openSync(path, 'a');
  const line = `${'x'.repeat(500)}\n`;
  const times = [];
  for (let count = 0; count < EVENTS; count += 1) {
    await pause(PAUSE_MS + Math.random() * 10);
    let known = 0;
    await terminal.until(({ text }) => {
      known = text.length;
      return true;
    });
    const startedAt = performance.now();
    writeSync(file, line);
    fdatasyncSync(file);
    times.push((await terminal.until(({ text }) => text.length > known)) - startedAt);
  }
  closeSync(file);
  await terminal.close();
  return times;
}
