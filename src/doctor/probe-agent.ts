import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createBackend, findCli } from '../backends/clis.ts';
import { findPackageFolder } from '../config/layers/package-files.ts';
import type { BackendType } from '../core/backends/backend-spec.ts';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { BUILT_IN_POLICIES, resolveProfile, toCapabilities } from '../core/tools/tool-profiles.ts';
import type { Environment } from '../core/values/environment.ts';
import { tryOr } from '../core/values/result.ts';
import { createGit } from '../git/git.ts';
import { PLANTED_MARK, PROBE_EVENT, PROBE_PROMPT, PROBE_TEST, toProbeScript, watchProbe } from '../mock-model/probe-script.ts';
import { startModelServer } from '../mock-model/start-model-server.ts';
import type { ModelServer } from '../mock-model/wire-types.ts';
import type { TurnRequest, TurnResult } from '../ports/backend.ts';
import { makeOwnedFolder, sweepOwnedFolders } from '../process/owned-folders.ts';
import { createTurnSandboxes } from '../sandbox/open-turn-sandbox.ts';
import { listToolChecks } from '../sandbox/plan-scope.ts';
import { judgeProbe, type ProbeResult } from '../sandbox/probe-verdict.ts';
import type { OsSandboxSearch } from '../sandbox/turn-sandbox.ts';
import { toAgentEnvironment, writeAgentCommand } from '../turns/agent-environment.ts';
import { loadEmitAttach } from '../turns/turn-scopes.ts';

export interface ProbeOrder {
  readonly cli: BackendType;
  /** Absolute path of the program. */
  readonly path: string;
  /** Of the caller; of it the agent gets nothing but PATH. */
  readonly env: Environment;
  readonly os: OsSandboxSearch;
  /** Aborted: the agent is ended at once, and what was found says nothing. */
  readonly signal: AbortSignal;
}

/** How long the agent has, with a model that answers at once. */
const TURN_MS = 90_000;
const PROBE = 'ralph-probe-';
const TEST_PACKAGE = { name: 'probe', version: '1.0.0', private: true, scripts: { test: PROBE_TEST.script } };

/**
 * Starts the CLI against a model on loopback that asks for what profile critic forbids, in a workspace and a HOME of its own, and looks what is
 * on the disk afterwards. Nothing of the user's is read or written, nothing is sent anywhere.
 *
 * @throws the system error when the temporary folder cannot be written
 */
export async function probeAgent(order: ProbeOrder): Promise<ProbeResult> {
  sweepOwnedFolders(tmpdir(), PROBE);
  const root = realpathSync(makeOwnedFolder(tmpdir(), PROBE));
  const workspace = join(root, 'project');
  const tools = findCli(order.cli)?.probe?.tools;
  const script = tools === undefined ? [] : toProbeScript(tools, workspace);
  const watch = watchProbe(script);
  const server = await startModelServer({ handler: watch.handler });
  try {
    await createProject(workspace, order);
    const before = readTree(workspace);
    const turn = await runProbe(order, root, server);
    return judgeProbe({
      changed: compareTrees(before, readTree(workspace)),
      steps: watch.steps(),
      allSteps: script.length,
      ranTests: watch.hasResult(PROBE_TEST.output),
      published: hasEvent(workspace),
      failure: turn.status === 'succeeded' ? null : (turn.failure?.message ?? turn.status),
    });
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function createProject(workspace: string, { cli, env: { PATH = '' } }: ProbeOrder): Promise<void> {
  mkdirSync(join(workspace, '.agent'), { recursive: true });
  writeFileSync(join(workspace, 'package.json'), `${JSON.stringify(TEST_PACKAGE, null, 2)}\n`);
  const plants = findCli(cli)?.probe?.toPlants(join(workspace, PLANTED_MARK)) ?? {};
  for (const [path, text] of Object.entries(plants)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  const git = createGit({ cwd: workspace, env: { PATH, HOME: workspace, GIT_CONFIG_NOSYSTEM: '1' } });
  const config = ['user.name=Ralph', 'user.email=ralph@localhost'];
  // Without git there is one attempt less.
  for (const args of [
    ['init', '-q'],
    ['add', '--all', ':!.agent'],
    ['commit', '-q', '-m', 'Begin'],
  ]) {
    await git(args, { config, timeoutMs: 10_000 });
  }
}

async function runProbe({ cli, path, env, os, signal }: ProbeOrder, root: string, server: ModelServer): Promise<TurnResult> {
  const workspace = join(root, 'project');
  const stateDir = join(workspace, '.ralph');
  const eventsFile = join(workspace, '.agent', 'events.jsonl');
  const { model, args } = findCli(cli)?.mockClient ?? { model: 'mock-model', args: [] };
  const command = writeAgentCommand(join(stateDir, 'bin'));
  const facts = {
    hat: 'critic',
    runId: 'probe',
    iteration: 1,
    attempt: 1,
    eventsFile,
    contractFile: '',
    command,
    binDir: join(stateDir, 'bin'),
  };
  const agentEnv = toAgentEnvironment(openClient(cli, root, server.port, model, env), facts);
  const sandboxes = createTurnSandboxes({
    privateDir: join(stateDir, 'private'),
    workspace,
    stateDir,
    agentDirs: ['.agent'],
    // The command that publishes runs from the package, which may lie where the sandbox hides things.
    more: [join(stateDir, 'bin'), findPackageFolder()],
    sandbox: { mode: os.found === null ? 'off' : 'auto', scratch: [], readable: [], hasNetwork: true },
    os,
    folders: { listTracked: async () => [], listIgnored: async () => [] },
  });
  const policy = BUILT_IN_POLICIES['critic'] ?? null;
  const place = { eventsFile, hat: 'critic', contractFile: null };
  const may = toCapabilities(resolveProfile(policy, BUILT_IN_CARDS));
  const qualityCommands = [PROBE_TEST.command];
  const checks = listToolChecks(cli, may, qualityCommands);
  const attach = await loadEmitAttach();
  const sandbox = await sandboxes.open({
    turn: '1.1',
    cli,
    may,
    mode: os.found === null ? 'off' : 'auto',
    args,
    permissions: 'bypass',
    env: agentEnv,
    cwd: workspace,
    qualityCommands,
    attach: (folder) => attach({ cli, command, place, isAlone: true, tools: [], checks, folder: workspace }, folder),
    more: [],
  });
  try {
    const backend = createBackend({ type: cli, command: path, args, model, env: {}, permissions: 'bypass' });
    const turn = backend.start({ ...toRequest(root), env: agentEnv, scope: sandbox.scope }, () => undefined);
    const end = (): void => turn.kill();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    return await turn.result.finally(() => signal.removeEventListener('abort', end));
  } finally {
    sandbox.close();
  }
}

function toRequest(root: string): Omit<TurnRequest, 'env'> {
  return {
    turn: { iteration: 1, attempt: 1 },
    prompt: PROBE_PROMPT,
    promptFile: join(root, 'prompt.md'),
    cwd: join(root, 'project'),
    marker: `probe/${root.slice(-6)}`,
    timeoutMs: TURN_MS,
    idleTimeoutMs: TURN_MS,
    logs: { stdoutPath: join(root, 'stdout.log'), stderrPath: join(root, 'stderr.log'), capBytes: 1_000_000 },
  };
}

/** An environment from nothing: no key, proxy or setting of the user's reaches the CLI. */
function openClient(cli: BackendType, root: string, port: number, model: string, { PATH = '' }: ProbeOrder['env']): Record<string, string> {
  const [home, temp] = [join(root, 'home'), join(root, 'tmp')];
  for (const folder of [home, temp]) mkdirSync(folder, { recursive: true });
  const name = model.replace(/^mock\//, '');
  const project = join(root, 'project');
  const client = findCli(cli)?.mockClient?.toSettings({ home, port, model: name, retries: false, subscription: false, trusts: project });
  for (const [file, text] of Object.entries(client?.files ?? {})) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  }
  const usual = { PATH, HOME: home, TMPDIR: temp, LANG: 'C.UTF-8', TERM: 'dumb', SHELL: '/bin/sh', NO_COLOR: '1', DO_NOT_TRACK: '1' };
  // npm would ask its registry.
  const quiet = { NO_UPDATE_NOTIFIER: '1', npm_config_update_notifier: 'false' };
  return { ...usual, ...quiet, ...client?.env };
}

/** Contents by path, without the folders that are Ralph's and git's own bookkeeping. */
function readTree(workspace: string): ReadonlyMap<string, string> {
  const files = readdirSync(workspace, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => relative(workspace, join(entry.parentPath, entry.name)));
  const own = paths.filter((path) => !/^(?:\.agent|\.ralph|\.git)\//.test(path));
  return new Map(own.map((path) => [path, readFileSync(join(workspace, path), 'latin1')]));
}

function compareTrees(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

function hasEvent(workspace: string): boolean {
  return tryOr(() => readFileSync(join(workspace, '.agent', 'events.jsonl'), 'utf8').includes(`"topic":"${PROBE_EVENT.topic}"`), false);
}
