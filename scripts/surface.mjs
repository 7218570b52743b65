/** What a person can be asked to learn: the commands, and the keys of a configuration. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.mjs';

/**
 * How many there are, `first` of them without a reason, since they were there when counting began. Whoever adds one raises `count` and adds a row that
 * says what it replaces, or why it is worth its place. Whoever removes one lowers `count`, and takes its row away or lowers `first`.
 *
 * @type {Record<string, { count: number, first: number, list: (root: string) => string[], added: { name: string, why: string }[] }>}
 */
const SURFACE = {
  commands: {
    count: 46,
    first: 34,
    list: listCommands,
    added: [
      {
        name: 'hooks',
        why: 'hooks that are silently not asked are what users of other tools complain of most: this shows the order, and what each would say',
      },
      { name: 'tell', why: 'replaces an event with a topic that a hat has to take, and reaches an agent in the midst of its turn' },
      { name: 'ask', why: 'an agent that needs a decision waits for it instead of guessing or ending its turn' },
      { name: 'asks', why: 'what is asked must not be missed by who comes later' },
      { name: 'answer', why: 'only a person may, so it is no option of what agents call' },
      { name: 'panel', why: 'who answered what and who voted for whom is no part of a turn with one agent, and has no room in `show`' },
      { name: 'report', why: 'a run has to be shown to somebody who has neither Ralph nor the machine; `review` is for the one who has' },
      { name: 'web', why: 'runs of all folders, seen and steered from a browser, which no command in a terminal replaces' },
      { name: 'worker', why: 'takes turns of runs on other machines: nothing else waits for work of others' },
      { name: 'fleet', why: 'which workers are there and what they hold, which no journal says' },
      { name: 'watch', why: 'what a run does, and how it came to it, on one screen; replaces status in a loop beside show --follow' },
      { name: 'notify', why: 'whether a phone rings at night is found out before the night, without a run' },
    ],
  },
  'configuration keys': {
    count: 242,
    first: 190,
    list: listConfigurationKeys,
    added: [
      { name: 'hooks', why: 'a rule of a project about calls of tools, which no profile can say' },
      { name: 'hats.<id>.hooks', why: 'such a rule for one hat, or none of the others for it' },
      { name: 'ralph.hooks', why: 'the same for Ralph' },
      { name: 'human', why: 'one place for what agents may ask people' },
      { name: 'human.ask', why: 'an unattended machine must be able to say that nobody is there' },
      { name: 'human.deadline', why: 'how long a run may wait for an answer is the project’s to say' },
      { name: 'hooks_defaults', why: 'what every hook would have to say again' },
      { name: 'hooks_defaults.fail_closed', why: 'in the place of the same line in every hook, of which one is forgotten' },
      { name: 'hooks_defaults.timeout', why: 'the same for how long hooks may take' },
      {
        name: 'hooks_defaults.tool_result',
        why: 'a model that takes a text behind a result for its output has to be given it in another form, and only its user sees that',
      },
      {
        name: 'hats.<id>.permissions',
        why: 'what is to be denied or asked about, by argument, in a line instead of a hook with a program; `permissions` is no new name',
      },
      { name: 'ralph.permissions', why: 'the same rules for Ralph' },
      { name: 'deny', why: 'of `permissions`: calls that are never made' },
      { name: 'ask', why: 'of `permissions`: calls that a person decides about, one by one' },
      { name: 'allow', why: 'of `permissions`: what other tools have, and who reads the record sees what was foreseen' },
      { name: 'on_ask', why: 'of `permissions`: what holds in a night when nobody is there' },
      { name: 'notify.command', why: 'what `notify` alone was, beside the other keys' },
      { name: 'notify.url', why: 'a service that takes JSON, in the place of a shell line with curl and quotes' },
      { name: 'notify.on', why: 'who is woken at night wants to say by what' },
      { name: 'notify.secret', why: 'the service has to know that the news are from the run' },
      {
        name: 'changed_tests',
        why: 'a task that is to change what tests say would otherwise end unproven each time, and only a person can allow that beforehand',
      },
      { name: 'hats.<id>.runs_on', why: 'a turn that needs a certain machine has to be able to say so; its agent alone does not' },
      { name: 'gates[].runs_on', why: 'what only a certain machine can check has to be checked there, and the run may be elsewhere' },
      { name: 'hats.<id>.panel', why: 'several agents wear one hat, which no list of hats can say' },
      { name: 'hats.<id>.panel.agents', why: 'who they are, in the order that decides a tie' },
      { name: 'hats.<id>.panel.agents[].id', why: 'people have to know whose answer and whose vote they read' },
      { name: 'hats.<id>.panel.agents[].backend', why: 'models of different makers make different mistakes' },
      { name: 'hats.<id>.panel.agents[].model', why: 'a panel of one program on several models is the most usual one' },
      { name: 'hats.<id>.panel.agents[].profile', why: 'one agent can be let write while the others only look' },
      { name: 'hats.<id>.panel.agents[].hooks', why: 'agents that are to look at different things are asked about different calls' },
      { name: 'hats.<id>.panel.agents[].instructions', why: 'one agent can be told to doubt what the others find' },
      { name: 'hats.<id>.panel.strategy', why: 'some tasks want the best answer, others one from all' },
      { name: 'hats.<id>.panel.max_answers_per_agent', why: 'without a limit two agents outbid each other all night' },
      { name: 'hats.<id>.panel.max_answers_total', why: 'what a panel costs grows with all of its answers' },
      { name: 'hats.<id>.panel.novelty', why: 'a copy of another answer with new words costs a round and says nothing' },
      { name: 'hats.<id>.panel.voting', why: 'how soon agents agree depends on the task, and only its author knows it' },
      { name: 'hats.<id>.panel.injection', why: 'whether agents work alone or with what the others found is a choice of method' },
      { name: 'hats.<id>.panel.first_injection', why: 'a first answer of one’s own is lost when another is read before it' },
      { name: 'hats.<id>.panel.max_injections', why: 'an agent that is told something again and again finishes nothing' },
      { name: 'hats.<id>.panel.timeout', why: 'the slowest of several agents must not hold a run back' },
      { name: 'hats.<id>.panel.max_parallel', why: 'a small machine, or a small quota, bears fewer at once' },
      { name: 'hats.<id>.panel.quorum', why: 'a vote of one is none where something depends on it' },
      { name: 'hats.<id>.panel.min_agents', why: 'an answer that nobody could compare may be worth nothing' },
      { name: 'hats.<id>.panel.budget_usd', why: 'one panel must not eat what the whole run may cost' },
      {
        name: 'event_loop.parallel',
        why: 'hats of a fan-out that need not wait for each other wait all the same; working at the same time costs copies, so it is asked for',
      },
      {
        name: 'hats.<id>.parallel',
        why: 'tasks that do not need each other wait for one hat all the same; how many of them at once is known by whoever cut them and by the machine',
      },
      { name: 'max_parallel', why: 'how many agents a machine and an account can bear is known by its user alone' },
      { name: 'hats.<id>.panel.tie', why: 'an even panel ties often, and the order of the file is no reason to win' },
      { name: 'hats.<id>.panel.synthesizer', why: 'whoever took part defends an answer of their own; an editor has none' },
      {
        name: 'hats.<id>.panel.conflicts',
        why: 'work that cannot be taken over is brought together by whoever can, in the place of a turn that has failed',
      },
      { name: 'hats.<id>.panel.round_timeout', why: 'one agent that hangs is left out, without ending the panel for all' },
      { name: 'hats.<id>.panel.grace', why: 'an agent that is told to hand in needs time to do it' },
    ],
  },
};

/** Names of the commands, as `ralph help all` lists them. */
export function listCommands(root) {
  const table = readFileSync(join(root, 'src/cli/args/command-table.ts'), 'utf8');
  return [...table.matchAll(/^ {2}\{ name: '([\w-]+)'/gm)].map(([, name]) => name);
}

/** Paths of the keys, as the reference lists them, which is made from the settings table. */
export function listConfigurationKeys(root) {
  const reference = readFileSync(join(root, 'docs/reference/configuration.md'), 'utf8');
  return [...new Set([...reference.matchAll(/^\| `([^`]+)` \|(?:.*? \|){3}$/gm)].map(([, path]) => path))];
}

/** What is wrong with the record, in sentences. */
export function findSurfaceFaults() {
  return Object.entries(SURFACE).flatMap(([kind, { count, first, list, added }]) => {
    const names = list(ROOT);
    return [
      ...(names.length === count ? [] : [`There are ${names.length} ${kind}, and scripts/surface.mjs says ${count}.`]),
      ...(count === first + added.length
        ? []
        : [
            `Of the ${count} ${kind} ${first} need no reason; the others need a row each in scripts/surface.mjs, and there are ${added.length}.`,
          ]),
      ...added
        .filter(({ name }) => !names.includes(name))
        .map(({ name }) => `${name} has a row in scripts/surface.mjs, and is none of the ${kind}.`),
      ...added
        .filter(({ why }) => why.trim().split(/\s+/).length < 4)
        .map(({ name }) => `scripts/surface.mjs does not say why ${name} is worth its place.`),
    ];
  });
}
