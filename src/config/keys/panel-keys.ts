import { BACKEND_KEYS, BACKEND_NAME } from './backend-keys.ts';
import type { Keys, ObjectSetting } from './setting.ts';
import { PROFILE } from './tool-keys.ts';

export const MIN_PANEL_AGENTS = 2;

export const PANEL_AGENT_KEYS = {
  id: { kind: 'word', doc: 'What people call the agent, unlike any other of the panel; agents are never told it.', required: true },
  backend: {
    kind: 'backend',
    doc: "The agent, exactly one: a name, `{type, model, args, …}` or `{command, args, …}`; the hat's own by default, else that of `cli`.",
    name: BACKEND_NAME,
    keys: BACKEND_KEYS,
    isAlone: true,
  },
  model: { kind: 'word', doc: 'The model of its backend, as the agent calls it; wins over the one that stands there.' },
  profile: { ...PROFILE, doc: 'The tool profile that binds this agent; that of the hat by default.' },
  hooks: {
    kind: 'hooks',
    verbatim: true,
    doc: 'What is asked about every call of a tool by this agent, after those of the hat; `{override: true, hooks: […]}` in their place.',
  },
  instructions: { kind: 'text', doc: 'Words for this agent alone, beside those of the hat.', verbatim: true },
} as const satisfies Keys;

export const PANEL_KEYS = {
  agents: {
    kind: 'list',
    doc: 'Who wears the hat, at least two beside the `synthesizer`.',
    items: { kind: 'object', doc: 'An agent of the panel.', keys: PANEL_AGENT_KEYS },
    required: true,
    fewestByRule: MIN_PANEL_AGENTS,
  },
  strategy: {
    kind: 'choice',
    doc: '`vote`: the answer with the most votes is taken as it is; `best_of`: the gates judge each answer first, and the vote is among those that passed; `synthesize`: who won the vote, or the `synthesizer`, writes one answer from all of them.',
    values: ['vote', 'best_of', 'synthesize'],
    default: 'vote',
  },
  tie: {
    kind: 'choice',
    doc: 'What is done where answers have equally many votes. `first`: that of the agent that stands first in the file is taken; `ralph`: the agent of `ralph` chooses; `synthesizer`: one answer is written from all.',
    values: ['first', 'ralph', 'synthesizer'],
    default: 'first',
  },
  synthesizer: {
    kind: 'word',
    doc: 'The id of the agent that writes one answer from all; it neither answers nor votes. By default whoever won the vote writes it.',
  },
  conflicts: {
    kind: 'word',
    doc: 'The hat, or `ralph`, that gets `panel.conflict` where the work that won cannot be taken over, because somebody changed the same meanwhile.',
    default: 'ralph',
  },
  max_answers_per_agent: { kind: 'integer', doc: 'Answers that one agent may give; then it can only vote.', min: 1, default: 1 },
  max_answers_total: { kind: 'integer', doc: 'Answers of all agents together; no limit but that of each by default.', min: 1 },
  novelty: {
    kind: 'choice',
    doc: 'How much a further answer has to differ from those that there are; by default as `voting`, and `off` where that is `lenient`.',
    values: ['off', 'balanced', 'strict'],
  },
  voting: {
    kind: 'choice',
    doc: 'How ready agents are to vote for what there is, in the words of their prompt.',
    values: ['lenient', 'balanced', 'strict'],
    default: 'balanced',
  },
  injection: {
    kind: 'choice',
    doc: 'How an agent at work learns of a new answer: `mid_stream` between two of its steps where its backend can be told, `restart` by a new prompt, `off` not before it votes.',
    values: ['mid_stream', 'restart', 'off'],
    default: 'mid_stream',
  },
  first_injection: {
    kind: 'choice',
    doc: 'The same for the first answer that an agent hears of; `protect_first_answer`: none before it has answered itself.',
    values: ['restart', 'protect_first_answer', 'mid_stream'],
    default: 'restart',
  },
  max_injections: {
    kind: 'integer',
    doc: 'News that one agent gets while it works on one prompt; more wait for its next one.',
    min: 0,
    default: 2,
  },
  timeout: { kind: 'duration', doc: 'Longest time of the whole panel; then what there is decides.', above: 0, default: '30m' },
  round_timeout: {
    kind: 'duration',
    doc: 'Time of one agent for one prompt; then it is told to hand in, and `grace` later its round has failed. No limit but `timeout` by default.',
    above: 0,
  },
  grace: { kind: 'duration', doc: 'Time that is left to an agent behind its `round_timeout`.', min: 0, default: '1m' },
  max_parallel: { kind: 'integer', doc: 'Agents at work at the same time; all of them by default.', min: 1 },
  quorum: { kind: 'integer', doc: 'Votes without which the first answer is taken.', min: 1, default: 1 },
  min_agents: { kind: 'integer', doc: 'Agents that have to answer; with fewer the turn has failed.', min: 1, default: 1 },
  budget_usd: {
    kind: 'money',
    doc: 'Cost in US dollars from which on the panel starts no agent any more; no limit but that of the run by default.',
    above: 0,
  },
} as const satisfies Keys;

export const PANEL = {
  kind: 'object',
  doc: 'Several agents wear the hat side by side, and vote about their answers.',
  keys: PANEL_KEYS,
} as const satisfies ObjectSetting;
