/**
 * Records what the real CLIs print, against the mock model server, into fixtures/transcripts. See the README there.
 *
 *   node test/real/record.mjs [--only claude,codex] [--scenario success,empty] [--acp-only | --no-acp]
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ACP_ARGV, turnArgv, withoutBypass } from './cli-argv.mjs';
import { modelOf } from './cli-config.mjs';
import { CLIS, chooseClis, installClis } from './clis.mjs';
import { startModelServer } from './model-server.mjs';
import { createPlace } from './place.mjs';
import { ACP_SCENARIOS, recordAcp } from './record-acp.mjs';
import { endCommandsOnSignal, runBounded } from './run-bounded.mjs';
import { PROMPT_LINES, SCENARIOS } from './scenarios.mjs';
import { createScrubber, pruneLongLines } from './scrub.mjs';

const TRANSCRIPTS = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'fixtures', 'transcripts');
const MAX_STDERR_CHARACTERS = 8_000;

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * @param {import('./clis.mjs').InstalledCli} cli
 * @param {import('./scenarios.mjs').Scenario} scenario
 * @returns {Promise<string>} one line about what was seen
 */
async function recordScenario({ spec, bin, folder }, scenario) {
  const server = await startModelServer({ scripts: { [scenario.name]: scenario.turns } });
  const place = await createPlace(spec.name, server.port, {
    retries: scenario.retries ?? false,
    subscription: scenario.subscription ?? false,
  });
  try {
    const prompt = [...PROMPT_LINES, '', `[[script:${scenario.name}]]`].join('\n');
    const turn = (/** @type {string} */ text, /** @type {string} */ cwd) =>
      turnArgv(spec.name, { prompt: text, model: modelOf(spec.name), cwd });
    const { args, input } = turn(prompt, place.cwd);
    const flags = scenario.guarded === true ? withoutBypass(spec.name, args) : args;
    const result = await runBounded(bin, flags, {
      cwd: place.cwd,
      env: place.env,
      timeoutMs: scenario.timeoutMs,
      ...(input === undefined ? {} : { input }),
    });
    const shown = turn('{prompt}', '{cwd}').args;
    const meta = {
      cli: spec.name,
      version: spec.version,
      scenario: scenario.name,
      argv: [spec.bin, ...(scenario.guarded === true ? withoutBypass(spec.name, shown) : shown)],
      stdin: input === undefined ? 'closed' : '{prompt}',
      prompt,
      exitCode: result.exitCode,
      signal: result.signal,
      endedByRecorder: result.timedOut,
      durationMs: Math.round(result.durationMs / 100) * 100,
      recordedAt: new Date().toISOString().slice(0, 10),
    };
    const scrub = createScrubber({ home: place.home, cwd: place.cwd, install: folder, port: server.port });
    await writeRecording(join(TRANSCRIPTS, spec.name), scenario.name, meta, scrub(result.stdout), scrub(result.stderr));
    const calls = server.requests.filter((request) => request.script !== undefined).length;
    return `exit ${result.exitCode ?? result.signal}${result.timedOut ? ' (ended by the recorder)' : ''}, ${result.stdout.length} bytes, ${calls} model calls`;
  } finally {
    await place.dispose();
    await server.close();
  }
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {Record<string, unknown>} meta
 * @param {string} stdout
 * @param {string} stderr
 */
async function writeRecording(folder, name, meta, stdout, stderr) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.stdout.jsonl`), pruneLongLines(stdout));
  await writeFile(join(folder, `${name}.meta.json`), `${JSON.stringify(meta, null, 2)}\n`);
  const errors = join(folder, `${name}.stderr.txt`);
  await rm(errors, { force: true });
  if (stderr !== '') await writeFile(errors, stderr.slice(0, MAX_STDERR_CHARACTERS));
}

/** @param {string[]} argv */
function parseOptions(argv) {
  const list = { type: /** @type {const} */ ('string'), multiple: /** @type {const} */ (true) };
  const flag = { type: /** @type {const} */ ('boolean'), default: false };
  const { values } = parseArgs({ args: argv, options: { only: list, scenario: list, 'acp-only': flag, 'no-acp': flag } });
  const split = (/** @type {string[] | undefined} */ lists) => lists?.flatMap((names) => names.split(','));
  const scenarios = split(values.scenario);
  const only = split(values.only);
  return {
    specs: only === undefined ? [...CLIS] : chooseClis(only),
    wanted: (/** @type {string} */ name) => scenarios === undefined || scenarios.includes(name),
    streams: !values['acp-only'],
    acp: !values['no-acp'],
  };
}

/** @param {string[]} argv */
async function main(argv) {
  const { specs, wanted, streams, acp } = parseOptions(argv);
  const { installed } = await installClis(specs, { report: say });
  const queues = installed.map((cli) => [
    ...(streams ? SCENARIOS : [])
      .filter(({ name, only }) => wanted(name) && (only === undefined || only.includes(cli.spec.name)))
      .map((scenario) => ({ label: `${cli.spec.name}/${scenario.name}`, run: () => recordScenario(cli, scenario) })),
    ...(acp && cli.spec.name in ACP_ARGV ? ACP_SCENARIOS : [])
      .filter(({ name, only }) => wanted(name) && (only === undefined || only.includes(cli.spec.name)))
      .map((scenario) => ({ label: `acp-${cli.spec.name}/${scenario.name}`, run: () => recordAcp(cli, scenario, TRANSCRIPTS) })),
  ]);
  // Two CLIs at a time, each one's scenarios in order: one CLI has a daemon on a fixed port that its runs would share.
  const lane = async () => {
    for (let jobs = queues.shift(); jobs !== undefined; jobs = queues.shift()) {
      for (const { label, run } of jobs) say(`${label.padEnd(32)} ${await run()}`);
    }
  };
  await Promise.all([lane(), lane()]);
}

endCommandsOnSignal();
await main(process.argv.slice(2));
