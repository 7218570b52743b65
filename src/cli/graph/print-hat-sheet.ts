import { toDurationText } from '../../core/index.ts';
import { toMarkText } from '../../topology/index.ts';
import { toCount, toPlainLine } from '../../views/index.ts';
import { printLine, type Terminal } from '../terminal.ts';
import type { HatLink, HatSheet } from './hat-sheet.ts';

/** Prints everything about a hat for people. */
export function printHatSheet(terminal: Terminal, sheet: HatSheet): void {
  const { style } = terminal;
  const title = sheet.name === sheet.id ? '' : `  ${toPlainLine(sheet.name, 80)}`;
  printLine(terminal, `${style('heading', toPlainLine(sheet.id, 80))}${title}`);
  if (sheet.description !== '') printLine(terminal, `  ${toPlainLine(sheet.description, 400)}`);
  const rows = listRows(sheet);
  const width = Math.max(...rows.map(([title]) => title.length));
  let last = '';
  for (const [name, text] of rows) {
    printLine(terminal, `  ${style('faint', (name === last ? '' : name).padEnd(width))}  ${text}`);
    last = name;
  }
  if (sheet.messages.length === 0) return;
  printLine(terminal, '');
  for (const message of sheet.messages) printLine(terminal, `  ${style('warning', '!')} ${toPlainLine(message, 400)}`);
}

type Row = readonly [name: string, text: string];

function listRows(sheet: HatSheet): readonly Row[] {
  const marks = toMarkText({ kind: 'hat', marks: sheet.marks });
  const limits = [
    `${toDurationText(sheet.timeoutMs)} a turn`,
    `${toDurationText(sheet.idleTimeoutMs)} without output`,
    ...(sheet.maxActivations === null ? [] : [toCount(sheet.maxActivations, 'activation')]),
  ];
  return [
    ...(marks === '' ? [] : [['is', marks] as const]),
    ...toLinkRows('gets', sheet.from, toSenderText, `nothing: nobody publishes ${listTopics(sheet.triggers)}`),
    ...toLinkRows('sends', sheet.to, toTakerText, 'nothing'),
    ...(sheet.transitions.length === 0 ? [] : [['hands on to', listTopics(sheet.transitions)] as const]),
    ['triggers', listTopics(sheet.triggers)],
    ['backend', sheet.backends.map((label) => toPlainLine(label, 60)).join(', then ')],
    ['limits', limits.join(', ')],
    ['instructions', toInstructionText(sheet.instructions)],
  ];
}

function toLinkRows(name: string, links: readonly HatLink[], toText: (link: HatLink) => string, none: string): readonly Row[] {
  if (links.length === 0) return [[name, none]];
  return links.map((link) => [name, toText(link)] as const);
}

function toSenderText(link: HatLink): string {
  const by = link.trigger === null || link.trigger === link.topic ? '' : ` (by ${toPlainLine(link.trigger, 60)})`;
  return `${toPlainLine(link.topic, 60)} from ${toPlainLine(link.who, 60)}${by}${toKindText(link)}`;
}

function toTakerText(link: HatLink): string {
  const text = link.kind === 'orphan' ? 'nobody: no hat takes it' : toPlainLine(link.who, 60);
  return `${toPlainLine(link.topic, 60)} → ${text}${link.isGated ? ' (a gate is run first)' : ''}${toKindText(link)}`;
}

function toKindText({ kind, isDefault }: HatLink): string {
  if (kind === 'blocked') return ' (when a gate fails)';
  return isDefault ? ' (default)' : '';
}

function listTopics(topics: readonly string[]): string {
  return topics.length === 0 ? 'nothing' : topics.map((topic) => toPlainLine(topic, 60)).join(', ');
}

function toInstructionText(instructions: string): string {
  if (instructions.trim() === '') return 'none of its own: derived from its events';
  const lines = instructions.trim().split('\n');
  return `${toPlainLine(lines[0] ?? '', 100)}${lines.length > 1 ? ` (${toCount(lines.length, 'line')} in all)` : ''}`;
}
