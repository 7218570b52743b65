import type * as App from '../../app/index.ts';
import { findGuidePage, listPresets } from '../../config/layers/package-files.ts';
import { toShellWord } from '../../core/text/shell-word.ts';
import { addExamples } from '../args/help.ts';
import { createUsageError, suggestWord } from '../args/usage-error.ts';
import type { AppApi, CliCommand } from '../cli-command.ts';
import type { CliContext } from '../cli-context.ts';
import { printProse } from '../terminal/print.ts';

/** The answer that says that nothing is wanted. */
const NONE = 'none';
const ANY = 'any';
const LATER = 'later';

type RunsPlace = Awaited<ReturnType<AppApi['findInitPlace']>>;

/** What is to be written, as far as it is said already. */
interface InitWish {
  readonly preset?: string;
  readonly backend?: string;
  readonly model?: string;
  readonly task?: string;
  /** `null`: none is wanted. */
  readonly gate?: string | null;
}

export const initCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--preset <name>', 'a team that comes with Ralph: see `ralph presets`')
      .option('-b, --backend <name>', 'the agent, such as claude, codex or native (built in)')
      .option(
        '--model <name>',
        'the model of the agent; default for native: one whose key is in the environment; without --backend: for native',
      )
      .option('--task <text>', 'the task; without it PROMPT.md is a form to fill in')
      .option('--gate <command>', 'the command that proves the work, such as "npm test"; `none` for no gate')
      .option('--force', 'rewrite the files and keep the old ones as .old; a task in PROMPT.md stays unless --task gives another');
    addExamples(command, [
      ['ralph init', 'ask for team, agent, task and gate; write a commented ralph.yml and a PROMPT.md'],
      ['ralph init --task "Mend the login." --gate "npm test"', 'one agent, with its task and the command that proves it'],
      ['ralph init --preset feature', 'builder and reviewer, with the project’s own tests as a gate'],
      ['ralph init --preset debug -b codex', 'the same for another team, with codex as the agent'],
      ['ralph init -b claude --model opus', 'with claude as the agent, and its model'],
      ['ralph init --preset tdd -b native --model claude-sonnet-5', 'with the built-in agent, which needs a key and no CLI'],
    ]);
  },
  perform: async (context, { options }) => {
    const { cwd, env, terminal } = context;
    const app = await context.loadApp();
    const force = options['force'] === true;
    app.checkInit(cwd, force);
    const wanted = await choose(context, app, toWanted(options));
    const place = await app.findInitPlace(cwd, env);
    const made = app.initProject({ cwd, env, force, place, ...wanted });
    const hasAgent = wanted.backend !== undefined || app.listAvailable(env['PATH'], cwd).length > 0;
    for (const line of tell(made, wanted, hasAgent, place)) printProse(terminal, line);
    return 0;
  },
};

function toWanted({ preset, backend, model, task, gate }: Readonly<Record<string, unknown>>): InitWish {
  return {
    ...(typeof preset === 'string' ? { preset } : {}),
    ...(typeof backend === 'string' ? { backend } : {}),
    ...(typeof task === 'string' ? { task } : {}),
    ...(typeof gate === 'string' ? { gate: gate === NONE ? null : gate } : {}),
    ...(typeof model === 'string' ? { model, backend: typeof backend === 'string' ? backend : 'native' } : {}),
  };
}

/** On a terminal asks for what was not said. */
async function choose(context: CliContext, app: AppApi, wanted: InitWish): Promise<InitWish> {
  if (context.ask === null) return wanted;
  const preset = wanted.preset ?? (await askTeam(context));
  const backend = wanted.backend ?? (await askAgent(context, app));
  const model = backend === 'native' && wanted.model === undefined ? await askModel(context, app) : wanted.model;
  return {
    ...wanted,
    ...(preset === NONE ? {} : { preset }),
    ...(backend === ANY || backend === LATER ? {} : { backend }),
    ...(model === undefined ? {} : { model }),
    ...(await askWork(context, app, { ...wanted, preset })),
  };
}

function askTeam(context: CliContext): Promise<string> {
  const teams = listPresets().map(({ name }) => ({ name }));
  const question = 'Which team? (`ralph presets` says what each is for)';
  return askChoice(context, question, [{ name: NONE, text: 'one agent does everything' }, ...teams]);
}

/** Only what could work is offered: with no agent CLI there is none to be found later. */
function askAgent(context: CliContext, app: AppApi): Promise<string> {
  const found = app.listAvailable(context.env['PATH'], context.cwd).map((name) => ({ name }));
  const builtIn = { name: 'native', text: 'built in, asks a model with your key' };
  if (found.length === 0)
    return askChoice(context, 'Which agent? (No agent CLI is installed.)', [builtIn, { name: LATER, text: 'install one first' }]);
  return askChoice(context, 'Which agent?', [{ name: ANY, text: 'the first that is found when a run starts' }, ...found, builtIn]);
}

/** What is to be done, and what proves it: an empty answer leaves the first for later, and takes the command that was found for the second. */
async function askWork({ ask, cwd }: CliContext, app: AppApi, { preset, ...wanted }: InitWish): Promise<Pick<InitWish, 'task' | 'gate'>> {
  if (ask === null) return {};
  const task = wanted.task ?? (app.hasTask(cwd) ? '' : (await ask('What is the task? [later, in PROMPT.md]: ')).trim());
  const found = app.findDefaultGate(cwd, preset === NONE ? undefined : preset)?.command;
  const said =
    wanted.gate === undefined ? (await ask(`Which command proves it? [${found ?? NONE}] (${NONE}: no gate): `)).trim() : wanted.gate;
  const gate = said === NONE ? null : said;
  return { ...(task === '' ? {} : { task }), ...(gate === '' || gate === found ? {} : { gate }) };
}

function askModel(context: CliContext, app: AppApi): Promise<string> {
  const models = app.listNativeModels(context.env);
  return askChoice(
    context,
    'Which model?',
    models.map(({ model, key, hasKey }) => ({ name: model, text: `key: ${key}${hasKey ? ', which is set' : ''}` })),
  );
}

function tell(made: App.Initialised, wanted: InitWish, hasAgent: boolean, place: RunsPlace): readonly string[] {
  const { written, hats, gate, isTaskOpen } = made;
  const { preset, backend } = wanted;
  return [
    `Written: ${written.join(', ')}.`,
    ...(preset === undefined ? [] : [`Team: ${preset} (${hats.join(', ')}).`]),
    tellGate(gate),
    'Limits: see event_loop in ralph.yml; no cost limit unless max_cost_usd is set.',
    ...(hasAgent ? [] : [tellNoAgent(wanted)]),
    ...tellOther(made, backend),
    ...tellNative(made),
    `Next: ${isTaskOpen ? 'write the task into PROMPT.md, then ' : ''}ralph validate, ${preset === undefined ? '' : 'ralph graph, '}ralph run`,
    tellPlace(place),
    `All that can be set: ${findGuidePage('configuration')}`,
  ];
}

/** The command says team and gate once more, since it writes the configuration anew; the task stays. */
function tellNoAgent({ preset, gate }: InitWish): string {
  const said = [...(preset === undefined ? [] : ['--preset', preset]), ...(gate === undefined ? [] : ['--gate', gate ?? NONE])];
  const command = ['ralph', 'init', ...said, '--backend', 'native', '--force'].map(toShellWord).join(' ');
  return `Agent: none is installed. Install one, such as \`npm install -g @anthropic-ai/claude-code\`, or configure the built-in one: ${command}`;
}

function tellGate(gate: App.Initialised['gate']): string {
  if (gate === null) return 'Gate: none, so nothing but the agents’ word proves the work: name a command under gates in ralph.yml.';
  if (gate.from === 'preset')
    return gate.command === 'tests'
      ? 'Gate: the preset’s own. Ralph runs the tests of the project itself before work counts; no command for them is found yet: name it under gates in ralph.yml, or a run looks for it again.'
      : `Gate: the preset’s own. Ralph runs \`${gate.command}\` itself before work counts.`;
  const from = gate.from === null ? '' : ` (found in ${gate.from})`;
  return `Gate: Ralph runs \`${gate.command}\` itself before work counts${from}.`;
}

function tellPlace(place: RunsPlace): string {
  if (place === null) return 'Note: agents run unattended. To hold them: `safe: true`, `permissions: default`.';
  if (place.obstacle === null) return `Place: each run gets a git worktree of its own, and its agents are confined to it (safe).`;
  return `Place: each run works in a git worktree of its own. Its agents may do whatever you may: ${place.obstacle}`;
}

function tellNative({ native }: App.Initialised): readonly string[] {
  if (native === null) return [];
  const { model, key, hasKey } = native;
  return [`Agent: the built-in one, with ${model}; its key is read from ${key}${hasKey ? '.' : `, which is not set: export ${key}=…`}`];
}

function tellOther({ wantsOther, otherBackend }: App.Initialised, backend: string | undefined): readonly string[] {
  if (!wantsOther) return [];
  if (otherBackend !== null) return [`The second pair of eyes is ${otherBackend}.`];
  return [
    `No agent CLI besides ${backend ?? 'the first'} was found, so the second pair of eyes is the same agent: see the comment in ralph.yml.`,
  ];
}

interface Choice {
  readonly name: string;
  /** What it means in a few words, where the name does not say it. */
  readonly text?: string;
}

const ATTEMPTS = 3;

/**
 * Asks a person to choose by number or name; an empty answer is the first choice. Question and list go to standard error.
 *
 * @returns the name of what was chosen
 * @throws RalphError `usage` (exit code 2) after three answers that name nothing
 */
export async function askChoice(
  { ask, terminal }: Pick<CliContext, 'ask' | 'terminal'>,
  question: string,
  choices: readonly Choice[],
): Promise<string> {
  const first = choices[0]?.name ?? '';
  if (ask === null) return first;
  terminal.err(`${question}\n${toListLines(choices, terminal.columns()).join('\n')}\n`);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = (await ask(`Number or name [${first}]: `)).trim();
    if (answer === '') return first;
    const chosen = choices.find(({ name }, index) => name === answer || String(index + 1) === answer);
    if (chosen !== undefined) return chosen.name;
    const near = suggestWord(
      answer,
      choices.map(({ name }) => name),
    );
    terminal.err(`That is not one of them${near === undefined ? '.' : `; did you mean ${near}?`}\n`);
  }
  throw createUsageError('No choice was made.', `Give it on the command line; see: ralph init --help`);
}

/** As many choices in a line as have room, so that several questions stay on the screen. */
function toListLines(choices: readonly Choice[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const [index, { name, text }] of choices.entries()) {
    const entry = `  ${index + 1}) ${name}${text === undefined ? '' : `: ${text}`}`;
    const last = lines.at(-1);
    if (last === undefined || last.length + entry.length > width) lines.push(entry);
    else lines[lines.length - 1] = last + entry;
  }
  return lines;
}
