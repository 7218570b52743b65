import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { listBackends } from '../backends/clis.ts';
import { toShellWord } from '../core/text/shell-word.ts';
import type { Environment } from '../core/values/environment.ts';
import type { Files, Scenario } from './scenario.ts';
import type { ScenarioFleet, ScenarioFolders } from './scenario-folders.ts';
import { planTurn, STREAMS, toBytes } from './scripted-turn.ts';

/** The name under which the scripted agent is a custom command. */
const AGENT = 'agent';
/** The names that the scripted agent has on the PATH: our own, and those of the agent CLIs. */
const PROGRAMS: readonly string[] = [AGENT, ...listBackends().map(({ command }) => command)];

/** Builds the folders of a scenario: its workspace, its script, its agents. */
export function createFolders(scenario: Scenario, base: Environment, fleet?: ScenarioFleet): ScenarioFolders {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-scenario-')));
  const make = (name: string): string => {
    const path = join(root, name);
    mkdirSync(path);
    return path;
  };
  const workspace = make('workspace');
  const records = make('records');
  const turns = make('turns');
  const [bin, home] = [fleet === undefined ? make('bin') : emptyFolder(fleet.bin), make('home')];
  // A run that goes on finds there where the fleet is.
  const address = fleet === undefined ? {} : { RALPH_FLEET: fleet.url };
  const env = { ...toEnvironment(scenario, base, { home, bin }), ...address };
  writeScript(scenario, turns);
  writeAgent(records, turns, bin);
  const writeInto = (files: Files): void => writeFiles(workspace, files);
  writeInto(scenario.files ?? {});
  if (scenario.config !== undefined) writeConfig(workspace, scenario.config);
  // What travels to workers is a repository.
  if (scenario.git === true || fleet !== undefined) createRepository(workspace, env);
  writeInto(scenario.dirty ?? {});
  return {
    root,
    workspace,
    records,
    turns,
    env,
    ...(fleet === undefined ? {} : { fleet }),
    writeFiles: writeInto,
    writeConfig: (config) => writeConfig(workspace, config),
    clear: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Without the agents of the scenario before. */
function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    if (content === null) {
      rmSync(path, { recursive: true, force: true });
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toBytes(content));
  }
}

function writeConfig(workspace: string, config: NonNullable<Scenario['config']>): void {
  const text = typeof config === 'string' ? config : JSON.stringify({ cli: { backend: 'custom', command: AGENT }, ...config }, null, 2);
  writeFileSync(join(workspace, 'ralph.yml'), text);
}

/** What the person has, less what belongs to a run around this one, with nobody's own git settings. */
function toEnvironment(
  scenario: Scenario,
  base: Environment,
  { home, bin }: { readonly home: string; readonly bin: string },
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && !/^(?:RALPH_|GIT_)/.test(name)) env[name] = value;
  }
  const path = [bin, env['PATH'] ?? ''].filter((part) => part !== '').join(delimiter);
  return {
    ...env,
    PATH: path,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
    ...scenario.env,
  };
}

/** `script`: a line with number and hat for each scripted turn, in order. */
function writeScript(scenario: Scenario, turns: string): void {
  const lines: string[] = [];
  for (const turn of scenario.iterations) {
    for (let time = 0; time < (turn.times === 'always' ? 1 : (turn.times ?? 1)); time += 1) {
      const folder = join(turns, String(lines.length));
      mkdirSync(folder);
      for (const [name, content] of Object.entries(planTurn(turn))) writeFileSync(join(folder, name), content);
      if (turn.times === 'always') writeFileSync(join(folder, 'always'), '');
      lines.push(`${lines.length} ${turn.hat ?? '*'}`);
    }
  }
  writeFileSync(join(turns, 'script'), lines.map((line) => `${line}\n`).join(''));
}

/** The scripted agent: it records how it was called, takes the first turn that is left for its hat, and does what that says. */
function writeAgent(records: string, turns: string, bin: string): void {
  const path = join(bin, AGENT);
  writeFileSync(
    path,
    `#!/bin/sh
number=1
while ! mkdir ${toShellWord(records)}/$number 2>/dev/null; do number=$((number + 1)); done
record=${toShellWord(records)}/$number
echo $$ > "$record/pid"
pwd > "$record/cwd"
printf '%s\\0' "$0" "$@" > "$record/argv"
env -0 > "$record/env"
cat > "$record/stdin"
stream=text
case "\${0##*/}" in ${Object.keys(STREAMS).join('|')}) stream="\${0##*/}" ;; esac
turn=
while read -r id hat; do
  case "$hat" in '*' | "$RALPH_HAT") ;; *) continue ;; esac
  if [ -e ${toShellWord(turns)}/$id/always ] || mkdir ${toShellWord(turns)}/$id/used 2>/dev/null; then turn=${toShellWord(turns)}/$id; break; fi
done < ${toShellWord(join(turns, 'script'))}
if [ -z "$turn" ]; then
  : > "$record/unscripted"
  echo "the scenario has no turn left for $RALPH_HAT" >&2
  exit 97
fi
. "$turn/turn.sh"
`,
  );
  chmodSync(path, 0o755);
  for (const name of PROGRAMS) if (name !== AGENT) symlinkSync(AGENT, join(bin, name));
}

function createRepository(workspace: string, env: Readonly<Record<string, string>>): void {
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Scenario', '-c', 'user.email=scenario@localhost', ...args], {
      cwd: workspace,
      env,
      stdio: 'pipe',
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin');
}
