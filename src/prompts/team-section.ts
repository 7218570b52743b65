import type { HatSpec } from '../core/index.ts';
import { isCompletionTopic, type Topology } from '../topology/index.ts';
import { flowLines } from './flow-lines.ts';
import type { PromptContext } from './prompt-context.ts';
import { cleanText, inLine } from './quoting.ts';
import { lines, type Section, section } from './section.ts';
import { joinWords, ours, say, theirs, toText, type Words } from './words.ts';

const COORDINATE = [
  '1. Gap analysis: the objective and the specs against the code and the evidence in the events.',
  '2. Plan: small tasks in the scratchpad, the most important first.',
  '3. Delegate ONE task: publish a topic that the fitting hat triggers on, with a payload that says what to do, where, and how to tell that it is done. The hat knows only that and the objective.',
  '4. Stop. Never do the work of a hat; only a task that fits none is yours: do it, verify it, commit it.',
].join('\n');

const SAFETY_NET = [
  '1. The hats hand work to each other without you; you are called when that fails. Find out what was meant.',
  '2. Publish ONE event that brings the work back to the fitting hat. The hat knows only your payload and the objective.',
  '3. Stop. Never do the work of a hat; only a task that fits none is yours: do it, verify it, commit it.',
].join('\n');

/** The team as Ralph sees it: who takes what, how the events flow, and how to delegate. */
export function planTeam({ topology }: PromptContext): Section | null {
  return section(
    'MY TEAM',
    ours('The hats do the work; you hand it out.'),
    lines(ours('| hat | triggers | publishes | description |\n|---|---|---|---|'), ...topology.hats.map((hat) => rowOf(topology, hat))),
    lines(ours('```'), ...flowLines(topology), ours('```')),
    ours(topology.coordination === 'ralph' ? COORDINATE : SAFETY_NET),
  );
}

function rowOf(topology: Topology, hat: HatSpec): Words {
  const publishes = [...new Set(hat.publishes.map((entry) => entry.topic))].filter((topic) => !isCompletionTopic(topology, topic));
  const cells = [inLine(hat.id), listOf(hat.triggers), listOf(publishes), aboutOf(hat)];
  return say`| ${joinWords(
    cells.map((cell) => (cell.length === 0 ? ours('-') : toCell(cell))),
    ' | ',
  )} |`;
}

function listOf(topics: readonly string[]): Words {
  return joinWords(topics.map(inLine), ', ');
}

/** The name, where it says more than the id, and the description. */
function aboutOf(hat: HatSpec): Words {
  const plain = (text: string): string =>
    cleanText(text)
      .toLowerCase()
      .replace(/[\s_-]+/g, ' ')
      .trim();
  const name = plain(hat.name) === plain(hat.id) ? [] : inLine(hat.name);
  return joinWords([name, inLine(hat.description)], ': ');
}

function toCell(words: Words): Words {
  return toText(words).includes('|') ? words.flatMap((piece) => (piece.own ? [piece] : theirs(piece.text.replaceAll('|', '\\|')))) : words;
}
