/**
 * What Ralph costs, each figure beside something that was measured in the same run.
 *
 *   npm run bench                      all, as a table
 *   npm run bench -- --only startup    startup | validate | collections | loop | routing | resume | gates | memory | native | profiles | scope | hooks | panels | faces | terminal | watching | watching-time | page | fleet
 *   npm run bench -- --peer PATH       also the same loop through a ralph-orchestrator binary
 *   npm run bench -- --only outcomes   forty failing agents through a shell loop, Ralph, and the binary of --peer; some minutes, so only where it is named
 *                    [--json]          its figures and each case as JSON; --agents TEXT,TEXT plays only agents whose names have such a text;
 *                                      --columns loop,careful,ralph,safe,peer
 *   npm run bench -- --help            the names of the parts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchCollections, benchValidate } from './collections.mjs';
import { benchFaces } from './faces.mjs';
import { benchFleet } from './fleet.mjs';
import { benchGates } from './gates.mjs';
import { benchHooks } from './hooks.mjs';
import { benchLoop } from './loop.mjs';
import { benchMemory } from './memory.mjs';
import { benchNative } from './native.mjs';
import { AGENTS, benchOutcomes } from './outcomes.mjs';
import { benchPage } from './page.mjs';
import { benchPanels } from './panels.mjs';
import { benchPeer } from './peer.mjs';
import { benchProfiles } from './profiles.mjs';
import { benchResume, benchRouting } from './rooms.mjs';
import { benchScopeCheck } from './scope-check.mjs';
import { benchStartup } from './startup.mjs';
import { benchTerminal } from './terminal.mjs';
import { benchWatching, benchWatchingTime } from './watching.mjs';

const BENCHES = {
  startup: benchStartup,
  validate: benchValidate,
  collections: benchCollections,
  loop: benchLoop,
  routing: benchRouting,
  resume: benchResume,
  gates: benchGates,
  memory: benchMemory,
  native: benchNative,
  profiles: benchProfiles,
  scope: benchScopeCheck,
  hooks: benchHooks,
  panels: benchPanels,
  faces: benchFaces,
  terminal: benchTerminal,
  watching: benchWatching,
  'watching-time': benchWatchingTime,
  page: benchPage,
  fleet: benchFleet,
};

/** It has tables of its own, and is run only where it is named. */
const OUTCOMES = 'outcomes';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    peer: { type: 'string' },
    json: { type: 'boolean' },
    agents: { type: 'string' },
    columns: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const names = [...Object.keys(BENCHES), OUTCOMES].join(', ');
if (values.help === true) {
  process.stdout.write(
    `npm run bench -- [--only PART,PART] [--peer PATH] [--json] [--agents TEXT,TEXT] [--columns NAME,NAME]\n\nParts: ${names}\n`,
  );
  process.exit(0);
}
const chosen = values.only === undefined ? Object.keys(BENCHES) : values.only.split(',');
for (const name of chosen) {
  if (BENCHES[name] === undefined && name !== OUTCOMES) {
    process.stderr.write(`bench: there is no "${name}"; there are ${names}\n`);
    process.exit(2);
  }
}

// Compiled code is kept apart: another build that runs meanwhile would write its own over it again and again.
const cache = mkdtempSync(join(tmpdir(), 'ralph-bench-cache-'));
process.env.XDG_CACHE_HOME = cache;
process.once('exit', () => rmSync(cache, { recursive: true, force: true }));

const parts = chosen.filter((name) => name !== OUTCOMES);
if (parts.length > 0) await printRows(parts);
if (chosen.includes(OUTCOMES)) await printOutcomes();

async function printRows(parts) {
  const rows = [];
  for (const name of parts) {
    process.stderr.write(`${name} …\n`);
    rows.push(...(await BENCHES[name]()));
  }
  if (values.peer !== undefined) {
    process.stderr.write('peer …\n');
    rows.push(...(await benchPeer(values.peer)));
  }
  printPlace();
  process.stdout.write('| what | ours | against | ratio | note |\n|---|---|---|---|---|\n');
  for (const { what, ours, against, ratio, note } of rows)
    process.stdout.write(`| ${what} | ${ours} | ${against} | ${ratio} | ${note} |\n`);
}

async function printOutcomes() {
  const agents = values.agents?.split(',');
  if (agents !== undefined && !AGENTS.some((name) => agents.some((text) => name.includes(text)))) {
    process.stderr.write(`bench: no agent has such a name; there are\n  ${AGENTS.join('\n  ')}\n`);
    process.exit(2);
  }
  process.stderr.write(`${OUTCOMES} …\n`);
  const { markdown, data } = await benchOutcomes({
    peer: values.peer,
    agents,
    only: values.columns?.split(','),
    say: (line, output) => process.stderr.write(agents === undefined ? line : `${line}${output}\n`),
  });
  if (values.json === true) return process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  printPlace();
  process.stdout.write(markdown);
}

function printPlace() {
  const date = new Date().toISOString().slice(0, 10);
  process.stdout.write(`\nMeasured ${date}, Node ${process.versions.node}, ${process.platform} ${process.arch}\n\n`);
}
