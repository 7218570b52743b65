import { BACKEND } from './backend-keys.ts';
import { PROFILE } from './profile-keys.ts';
import { HAT_SANDBOX } from './sandbox-keys.ts';
import type { Keys } from './setting.ts';

const PATTERN = { kind: 'pattern', doc: 'A topic, or a pattern in which `*` is a whole segment.' } as const;
const LATER = { kind: 'later', doc: 'Not read by this version.' } as const;

/** The keys of `hats.<id>`. */
export const HAT_KEYS = {
  name: { kind: 'word', doc: 'What people call the hat; its id by default.' },
  description: { kind: 'text', doc: 'What the hat is for, in a sentence that the other hats read.' },
  triggers: { kind: 'list', doc: 'Topics and patterns that wake the hat; each hat needs one.', items: PATTERN, nonEmptyByRule: true },
  subscriptions: { kind: 'list', doc: 'Another name of `triggers`.', items: PATTERN, nonEmptyByRule: true },
  subscribes_to: { kind: 'list', doc: 'Another name of `triggers`.', items: PATTERN, nonEmptyByRule: true },
  publishes: {
    kind: 'list',
    doc: 'Topics and patterns that the hat may publish; everything else is refused.',
    default: [],
    items: {
      kind: 'publish',
      doc: 'A topic or pattern, or `{topic, target}` for an event that goes to one hat.',
      topic: PATTERN,
      keys: {
        topic: { ...PATTERN, required: true },
        target: { kind: 'word', doc: 'The hat that gets it.' },
      },
    },
  },
  default_publishes: {
    kind: 'list',
    doc: 'Topics, no patterns, that are published for the hat when a turn succeeded, said something and emitted nothing.',
    default: [],
    items: PATTERN,
  },
  transitions: {
    kind: 'list',
    doc: 'Hats that a `HAT_TRANSITION:` line of this hat may call.',
    default: [],
    items: { kind: 'word', doc: 'A hat.' },
  },
  instructions: { kind: 'text', doc: "The hat's own words; derived from the rest where absent.", verbatim: true },
  instructions_file: { kind: 'file', doc: 'A file with more instructions, relative to the configuration file.' },
  max_activations: { kind: 'integer', doc: 'Turns after which the hat is not called again and its events go to Ralph.', min: 1 },
  takes: { kind: 'choice', doc: 'How many of the events that wait for the hat one turn is given.', values: ['all', 'one'], default: 'all' },
  timeout_seconds: { kind: 'duration', doc: 'Longest turn; `event_loop.timeout_seconds` by default.', above: 0 },
  idle_timeout_seconds: { kind: 'duration', doc: 'Longest silence; `event_loop.idle_timeout_seconds` by default.', above: 0 },
  backend: BACKEND,
  profile: PROFILE,
  hooks: LATER,
  panel: LATER,
  import: { kind: 'file', doc: 'A file with the keys of one hat, relative to this file; keys beside it win.' },
  sandbox: HAT_SANDBOX,
} as const satisfies Keys;

/** The keys of `ralph:`. */
export const RALPH_KEYS = {
  backend: BACKEND,
  model: { kind: 'word', doc: "Ralph's own model." },
  args: { kind: 'list', doc: "Extra arguments of Ralph's own agent.", items: { kind: 'variable', doc: 'One argument.' } },
  instructions: { kind: 'text', doc: 'More instructions for Ralph himself.', verbatim: true },
  instructions_file: { kind: 'file', doc: 'A file with more instructions, relative to the configuration file.' },
  profile: PROFILE,
  hooks: LATER,
} as const satisfies Keys;
