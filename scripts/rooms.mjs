/**
 * The import table: the one place that says which room may import which. The dependency rules (.dependency-cruiser.mjs)
 * are generated from it, and so is the table in ARCHITECTURE.md.
 *
 *   node scripts/rooms.mjs            fails when ARCHITECTURE.md or the folders under src/ differ from the table, or a walk or a recipe of AGENTS.md names a file that is gone
 *   node scripts/rooms.mjs --write    writes the table into ARCHITECTURE.md
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { findNameGaps } from './read-walks.mjs';

/**
 * One row per room: what lives there (`holds`), the rooms whose doors it may import (`mayImport`), and whether it is
 * pure (`pure`: no Node modules, no packages, no clock, no randomness).
 *
 * `folders`: its sub-folders, in one direction: each imports, of its own room, only itself and those before it. `doors`: the sub-folders that other
 * rooms may enter, each by its `index.ts`; without it, the room is entered by the one of the room; `'files'`: every file is a door.
 *
 * @type {Record<string, { holds: string, mayImport: string[], pure?: true, folders?: string[], doors?: string[] | 'files' }>}
 */
export const ROOMS = {
  core: {
    holds: 'events, topics and patterns, hats, profiles, inputs, effects, run state, ids, durations, money: types and total functions',
    mayImport: [],
    pure: true,
    folders: ['values', 'text', 'schema', 'events', 'signals', 'tools', 'hooks', 'backends', 'gates', 'project', 'panel', 'run'],
    doors: 'files',
  },
  topology: {
    holds: 'declared hats become a checked topology or diagnostics; the routing table; the flow graph and its drawings',
    mayImport: ['core'],
    pure: true,
    folders: ['routing', 'graph', 'analysis', 'rules'],
    doors: ['routing', 'graph', 'rules'],
  },
  wire: {
    holds: 'what a face is told of a run and what it says to it: types of plain JSON, and nothing else',
    mayImport: ['core'],
    pure: true,
    doors: 'files',
  },
  'panel/decide': {
    holds: 'the rules of a panel: whose turn it is to answer, to vote, to be told; who wins',
    mayImport: ['core'],
    pure: true,
  },
  'loop/decide': {
    holds: 'the pure step, one file per kind of input: dispatch, completion, limits, staleness',
    mayImport: ['core', 'topology', 'panel/decide'],
    pure: true,
  },
  prompts: {
    holds: 'what an agent reads, within a token budget',
    mayImport: ['core', 'topology'],
    pure: true,
  },
  ports: {
    holds: 'interfaces to the world and their contracts in words; no implementation',
    mayImport: ['core'],
    doors: 'files',
  },
  config: {
    holds: 'finds, reads, merges, checks and explains settings; the only room that sees YAML and `process.env`',
    mayImport: ['core'],
  },
  validation: {
    holds: 'a configuration and the flow of its events checked together; repairs of its text',
    mayImport: ['core', 'config', 'topology', 'backends'],
  },
  journal: {
    holds: 'the append-only record of inputs: lock, snapshot, tail, resume; the inbox of the agents',
    mayImport: ['core', 'ports'],
  },
  process: {
    holds: 'child processes: groups, killing the whole tree, timeouts, backpressure, splitting into lines',
    mayImport: ['core', 'ports'],
  },
  git: {
    holds:
      'how git is started so that it runs nothing of the repository, what a repository is; its places, status, trees, refs and objects',
    mayImport: ['core', 'process'],
  },
  backends: {
    holds: 'one folder per agent CLI with everything that is known of it, `acp`, `custom`, the scripted agent, registry and detection',
    mayImport: ['core', 'ports', 'process'],
  },
  agent: {
    holds: 'the native agent: step loop, tools, profiles, injection, providers',
    mayImport: ['core', 'ports', 'process', 'hooks', 'git'],
  },
  sandbox: {
    holds: "what a profile means outside our own tools: a CLI's flags, the sandbox of the operating system",
    mayImport: ['core', 'ports', 'process', 'backends', 'mock-model', 'git'],
  },
  hooks: {
    holds: 'hooks of tools: how handlers are asked, in which order, and what their verdicts come to',
    mayImport: ['core', 'ports', 'process'],
  },
  gates: {
    holds: 'quality gates: run commands, turn an event into a blocked one with the feedback',
    mayImport: ['core', 'ports', 'process'],
  },
  emit: {
    holds: 'what `ralph emit` and `ralph ask` do inside of a turn; small, because agents call it often',
    mayImport: ['core', 'ports', 'topology', 'journal'],
  },
  workspace: {
    holds: 'the folder the agents work in, with git: baseline, checkpoints, snapshots of turns, worktrees',
    mayImport: ['core', 'ports', 'process', 'git'],
    folders: ['snapshot', 'bundle', 'watch', 'checkpoint', 'worktree', 'landing', 'undo'],
    doors: ['snapshot', 'bundle', 'watch', 'checkpoint', 'worktree', 'landing', 'undo'],
  },
  'panel/share': {
    holds: 'folders of agents that work at the same time: made, kept, shown to the others, taken over',
    mayImport: ['core', 'ports'],
  },
  'panel/run': {
    holds: 'several agents under one hat, as one backend: rounds, prompts, what is handed in',
    mayImport: ['core', 'ports', 'panel/share'],
  },
  fleet: {
    holds: 'a connection to workers, on NATS JetStream or in a folder of this machine; how turns are offered to them and taken by them',
    mayImport: ['core', 'ports'],
  },
  'loop/shell': {
    holds: 'the mailbox; append, then decide, then perform; resume; one performer per effect',
    mayImport: ['core', 'topology', 'ports', 'loop/decide', 'prompts'],
  },
  views: {
    holds: 'folds of the journal: run view, cost view, graph view',
    mayImport: ['core', 'wire', 'topology', 'panel/decide'],
    folders: ['text', 'fold', 'report', 'review', 'frame'],
    doors: ['text', 'fold', 'report', 'review', 'frame'],
  },
  drawing: {
    holds: 'laid out drawings of the flow graph: svg and unicode',
    mayImport: ['core', 'wire', 'topology'],
  },
  simulate: {
    holds: 'runs a topology with seeded agents through the real `decide`',
    mayImport: ['core', 'topology', 'loop/decide'],
  },
  mcp: {
    holds: 'the MCP server through which agents publish and ask',
    mayImport: ['core', 'ports'],
  },
  'mock-model': {
    holds: 'a model server on loopback that plays scripts in the wire formats of agent CLIs, for probes and tests',
    mayImport: ['core'],
  },
  testing: {
    holds: 'the scenario harness, exported as `ralph-hats/testing`',
    mayImport: ['app', 'backends', 'config', 'core', 'planning', 'runs'],
  },
  replay: {
    holds: 'a run made again from its inputs alone, for programs and browsers: what `ralph-hats/views` publishes',
    mayImport: ['core', 'wire', 'loop/decide', 'views'],
    pure: true,
  },
  tui: {
    holds: 'frames of a run in, cells of a terminal out; keys in, orders out',
    mayImport: ['core', 'wire', 'views'],
  },
  'web-server': {
    holds: 'frames of runs in, HTTP out; who may ask, who may steer',
    mayImport: ['core', 'wire', 'views'],
  },
  'web-page': {
    holds: 'the page in the browser, and the same page as one file: bundled by the build, loaded by no command',
    mayImport: ['core', 'wire', 'views', 'replay'],
  },
  safety: {
    holds: 'what a run keeps from its agents: secrets, its own folders, namespaces; what a safe run needs',
    mayImport: ['core', 'ports', 'config', 'process', 'git', 'backends', 'sandbox'],
  },
  plugins: {
    holds: 'tools beside the built-in ones: found, loaded, listed',
    mayImport: ['core', 'config', 'gates', 'agent', 'sandbox'],
  },
  project: {
    holds: "what is found in a person's project, and what `ralph init` writes there",
    mayImport: ['core', 'config', 'validation', 'journal', 'process', 'git', 'backends', 'views', 'safety'],
  },
  runs: {
    holds: 'what is known of the runs of a folder: layout, run file, locks, people, facts, review; stopping, settling and cleaning them',
    mayImport: [
      'core',
      'wire',
      'topology',
      'ports',
      'config',
      'journal',
      'process',
      'git',
      'workspace',
      'emit',
      'gates',
      'sandbox',
      'loop/decide',
      'views',
      'safety',
    ],
  },
  'run-gates': {
    holds: 'the gates of a run: what they compare with, the tests of its start, what they showed',
    mayImport: ['core', 'ports', 'config', 'journal', 'process', 'workspace', 'gates', 'mcp', 'safety', 'project', 'runs'],
  },
  turns: {
    holds: 'what an agent has for its turn: environment, abilities, sandbox, the native agent',
    mayImport: [
      'mock-model',
      'core',
      'topology',
      'loop/decide',
      'prompts',
      'ports',
      'config',
      'journal',
      'process',
      'git',
      'backends',
      'agent',
      'sandbox',
      'gates',
      'panel/run',
      'panel/share',
      'hooks',
      'loop/shell',
      'mcp',
      'workspace',
      'emit',
      'safety',
      'plugins',
      'project',
      'runs',
    ],
    doors: ['scopes'],
  },
  doctor: {
    holds: 'what `ralph doctor` tells: what is there, what is missing, what would be enforced; probes',
    mayImport: [
      'core',
      'ports',
      'config',
      'validation',
      'process',
      'git',
      'backends',
      'agent',
      'sandbox',
      'mock-model',
      'safety',
      'plugins',
      'turns',
    ],
  },
  planning: {
    holds: 'a run that could be started or go on: read, checked, compiled, with its warnings; nothing is written',
    mayImport: [
      'core',
      'topology',
      'prompts',
      'ports',
      'config',
      'validation',
      'journal',
      'backends',
      'agent',
      'gates',
      'workspace',
      'safety',
      'plugins',
      'project',
      'runs',
      'turns',
    ],
  },
  landing: {
    holds: "what becomes of a run's work: land, undo, pull request, worktrees; conflicts given to a hat",
    mayImport: [
      'topology',
      'core',
      'prompts',
      'ports',
      'config',
      'journal',
      'process',
      'git',
      'gates',
      'workspace',
      'views',
      'safety',
      'runs',
      'run-gates',
    ],
  },
  queue: {
    holds: 'the tasks of a folder that are run one after another: the file, the order, the night',
    mayImport: ['core', 'git', 'journal', 'runs', 'landing'],
  },
  'fleet-runs': {
    holds: 'runs on a fleet: what is sent and brought home, what is kept there of a run, what is said to it from elsewhere',
    mayImport: [
      'core',
      'ports',
      'config',
      'journal',
      'process',
      'git',
      'panel/share',
      'hooks',
      'workspace',
      'fleet',
      'loop/decide',
      'views',
      'safety',
      'project',
      'runs',
      'run-gates',
      'turns',
    ],
  },
  catalog: {
    holds: 'the runs of a folder and of its fleet: listed, watched, reported, removed',
    mayImport: ['core', 'wire', 'ports', 'journal', 'fleet', 'views', 'drawing', 'replay', 'runs', 'fleet-runs'],
  },
  app: {
    holds: 'the composition root: assembles a run, starts it, goes on with it; front door of commands and programs',
    mayImport: [
      'core',
      'topology',
      'loop/decide',
      'ports',
      'config',
      'journal',
      'process',
      'git',
      'backends',
      'sandbox',
      'hooks',
      'gates',
      'panel/run',
      'panel/share',
      'fleet',
      'loop/shell',
      'views',
      'workspace',
      'emit',
      'safety',
      'plugins',
      'runs',
      'project',
      'run-gates',
      'turns',
      'doctor',
      'planning',
      'landing',
      'queue',
      'fleet-runs',
      'catalog',
    ],
  },
  worker: {
    holds: 'a process that takes turns, rounds and programs of a fleet and does them as a local run does',
    mayImport: [
      'core',
      'topology',
      'ports',
      'journal',
      'process',
      'git',
      'hooks',
      'gates',
      'panel/run',
      'panel/share',
      'workspace',
      'emit',
      'fleet',
      'loop/shell',
      'views',
      'safety',
      'plugins',
      'runs',
      'run-gates',
      'turns',
      'fleet-runs',
      'app',
    ],
  },
  cli: {
    holds: 'one file per command: words in, exit code out; `validate`, `graph` and `explain` never load `app`',
    mayImport: [
      'process',
      'emit',
      'hooks',
      'queue',
      'runs',
      'app',
      'catalog',
      'fleet-runs',
      'worker',
      'config',
      'validation',
      'topology',
      'drawing',
      'simulate',
      'views',
      'tui',
      'web-server',
      'mcp',
      'core',
      'wire',
    ],
  },
  library: {
    holds:
      'what programs call: load, check, draw and play teams; start, watch, steer and read runs, for which it loads `app` when it is needed',
    mayImport: ['core', 'config', 'validation', 'topology', 'drawing', 'simulate', 'views', 'app'],
  },
  index: {
    holds: 'the library front door, the single file `src/index.ts`',
    mayImport: ['library', 'validation', 'topology', 'simulate', 'views', 'core'],
  },
};

const TABLE_FILE = new URL('../ARCHITECTURE.md', import.meta.url);
const SOURCE_FOLDER = new URL('../src/', import.meta.url);
const MARKERS = ['<!-- rooms: written by `npm run rooms`, do not edit -->', '<!-- /rooms -->'];
/** Files of `src/` itself that belong to no room. */
const ROOMLESS = ['build-constants.d.ts'];

/** Regular expression source for the files of a room; `index` is one file, the others are folders. */
export function roomPattern(room) {
  return room === 'index' ? '^src/index\\.ts$' : `^src/${room}/`;
}

/** Regular expression source for the files of a room that others may import. */
export function doorPattern(room) {
  if (room === 'index') return '^src/index\\.ts$';
  const { doors = [] } = ROOMS[room];
  if (doors === 'files') return `^src/${room}/.+\\.ts$`;
  const folders = doors.map((folder) => `${folder}/`).join('|');
  return `^src/${room}/${doors.length === 0 ? '' : `(?:${folders})?`}index\\.ts$`;
}

/** Whether a room is in the table and not yet in the code. */
function isPlanned(room) {
  return ![room, `${room}.ts`].some((name) => existsSync(new URL(name, SOURCE_FOLDER)));
}

/** The table of ARCHITECTURE.md. */
export function renderTable() {
  const rows = Object.entries(ROOMS).map(([room, { holds, mayImport, pure, folders }]) => {
    const imports = mayImport.length === 0 ? 'nothing' : mayImport.join(', ');
    const order = folders === undefined ? '' : `: ${folders.join(' <- ')}`;
    return `| \`${room}\` | ${isPlanned(room) ? '*planned:* ' : ''}${holds}${order} | ${imports} | ${pure ? 'yes' : ''} |`;
  });
  return ['| room | what lives there | may import | pure |', '|---|---|---|---|', ...rows].join('\n');
}

function replaceTable(text) {
  const [start, end] = MARKERS.map((marker) => text.indexOf(marker));
  if (start < 0 || end < start) throw new Error(`ARCHITECTURE.md lacks the markers ${MARKERS.join(' … ')}`);
  return `${text.slice(0, start)}${MARKERS[0]}\n${renderTable()}\n${text.slice(end)}`;
}

/** Problems of the table itself and of the folders under `src/`. */
function findProblems() {
  const problems = [];
  for (const [room, { mayImport }] of Object.entries(ROOMS)) {
    for (const other of mayImport) {
      if (!(other in ROOMS)) problems.push(`scripts/rooms.mjs: ${room} may import the unknown room ${other}`);
    }
  }
  for (const file of readdirSync(SOURCE_FOLDER, { recursive: true, withFileTypes: true })) {
    const path = `${file.parentPath.slice(SOURCE_FOLDER.pathname.length - 1)}/${file.name}`.replace(/^\/+/, '');
    const hasRoom = Object.keys(ROOMS).some((room) => new RegExp(roomPattern(room)).test(`src/${path}`));
    if (file.isFile() && !hasRoom && !ROOMLESS.includes(path)) problems.push(`src/${path} is in no room of scripts/rooms.mjs`);
  }
  return [...problems, ...Object.keys(ROOMS).flatMap(findFolderProblems)];
}

/** Folders of the table that are not there, and sub-folders that are not in it. */
function findFolderProblems(room) {
  const { folders, doors = [] } = ROOMS[room];
  if (folders === undefined) return [];
  const found = readdirSync(new URL(`${room}/`, SOURCE_FOLDER), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const tops = folders.map((folder) => folder.split('/')[0]);
  const lost = doors === 'files' ? [] : doors.filter((folder) => !existsSync(new URL(`${room}/${folder}/index.ts`, SOURCE_FOLDER)));
  return [
    ...found
      .filter(({ name }) => !tops.includes(name) && name !== 'golden')
      .map(({ name }) => `scripts/rooms.mjs: ${room} lacks its folder ${name}`),
    ...tops.filter((top) => !found.some(({ name }) => name === top)).map((top) => `scripts/rooms.mjs: ${room} has no folder ${top}`),
    ...lost.map((folder) => `scripts/rooms.mjs: the door src/${room}/${folder}/index.ts is not there`),
  ];
}

function main(write) {
  const before = readFileSync(TABLE_FILE, 'utf8');
  const after = replaceTable(before);
  const problems = [...findProblems(), ...findNameGaps()];
  if (write && after !== before) writeFileSync(TABLE_FILE, after);
  if (!write && after !== before) problems.push('ARCHITECTURE.md differs from the table in scripts/rooms.mjs: run `npm run rooms`');
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.includes('--write'));
