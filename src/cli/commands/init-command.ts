import { listPresets, readPreset } from '../../config/index.ts';
import { askChoice } from '../ask-choice.ts';
import { addExamples, type CliCommand } from '../cli-command.ts';
import type { AppApi, CliContext } from '../cli-context.ts';

type Initialised = ReturnType<AppApi['initProject']>;

/** What is to be written, as far as it is said already. */
interface Wanted {
  readonly preset?: string;
  readonly backend?: string;
}

/** `ralph init`. */
export const initCommand: CliCommand = {
  declare: (command) => {
    command
      .option('--preset <name>', 'a team that is ready to use: see `ralph presets`')
      .option('-b, --backend <name>', 'the agent to write down, such as claude or codex')
      .option('--force', 'write the files anew; what is there is kept as .old');
    addExamples(command, [
      ['ralph init', 'asks which team and which agent; writes a commented ralph.yml and a PROMPT.md to fill in'],
      ['ralph init --preset feature', 'builder and reviewer, with the project’s own tests as a gate'],
      ['ralph init --preset debug -b codex', 'the same for another team, with codex as the agent'],
    ]);
  },
  perform: async (context, { options }) => {
    const { cwd, env, terminal } = context;
    const app = await context.loadApp();
    const force = options['force'] === true;
    app.checkInit(cwd, force);
    const wanted = await choose(context, app, toWanted(options));
    const made = app.initProject({ cwd, env, force, ...wanted });
    terminal.out(tell(made, wanted).join('\n'));
    return 0;
  },
};

function toWanted({ preset, backend }: Readonly<Record<string, unknown>>): Wanted {
  return { ...(typeof preset === 'string' ? { preset } : {}), ...(typeof backend === 'string' ? { backend } : {}) };
}

/** On a terminal asks for what was not said; a preset on the command line means that nobody is to be asked. */
async function choose(context: CliContext, app: AppApi, wanted: Wanted): Promise<Wanted> {
  if (context.ask === null || wanted.preset !== undefined) return wanted;
  const teams = listPresets().map(({ name }) => ({ name, text: readPreset(name).description }));
  const preset = await askChoice(context, 'Which team?', [{ name: 'none', text: 'One agent does everything.' }, ...teams]);
  const agents = wanted.backend === undefined ? app.listAgents(context.env, context.cwd) : [];
  const found = agents.map((name) => ({ name, text: 'Installed here.' }));
  const any = { name: 'any', text: 'The first that is found when a run starts.' };
  const backend = found.length === 0 ? 'any' : await askChoice(context, 'Which agent?', [any, ...found]);
  return { ...wanted, ...(preset === 'none' ? {} : { preset }), ...(backend === 'any' ? {} : { backend }) };
}

function tell(made: Initialised, { preset, backend }: Wanted): readonly string[] {
  const { written, hats, gate } = made;
  return [
    `Written: ${written.join(', ')}.`,
    ...(preset === undefined ? [] : [`Team: ${preset} (${hats.join(', ')}).`]),
    ...(gate === null ? [] : [`Gate: Ralph runs \`${gate.command}\` itself before work counts (found in ${gate.from}).`]),
    ...tellOther(made, backend),
    '',
    `Next: say in PROMPT.md what is to be done, then`,
    '  ralph validate   is everything in order?',
    ...(preset === undefined ? [] : ['  ralph graph      who hands what to whom']),
    '  ralph run        start',
    '',
    PERMISSIONS_NOTE,
    '',
  ];
}

function tellOther({ wantsOther, otherBackend }: Initialised, backend: string | undefined): readonly string[] {
  if (!wantsOther) return [];
  if (otherBackend !== null) return [`The second pair of eyes is ${otherBackend}.`];
  return [
    `No agent CLI besides ${backend ?? 'the first'} was found, so the second pair of eyes is of the same make: see the comment in ralph.yml.`,
  ];
}

/** Said once at `init` and in `doctor`. */
export const PERMISSIONS_NOTE = [
  'Note: agents run unattended, so each is started with its own "ask nobody" flag: it may run any command and change any file that you may.',
  'To leave that flag out: `cli: {permissions: default}` in ralph.yml.',
].join('\n');
