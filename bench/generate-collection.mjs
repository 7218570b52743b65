/**
 * A configuration of so many hats in a ring, five topics between each and the next: hat 0 begins, the last one may end the run.
 * Every tenth hat takes its topics by a pattern.
 */
export function generateCollection(hats) {
  const lines = ['event_loop:', '  coordinator: hats', `  max_iterations: ${hats * 2}`, 'hats:'];
  for (let index = 0; index < hats; index += 1) {
    const own = index % 10 === 9 ? [`ring.h${index}.*`] : topicsOf(index);
    const triggers = index === 0 ? ['task.start', 'task.resume', ...own] : own;
    const next = topicsOf((index + 1) % hats);
    const publishes = index === hats - 1 ? [...next, 'LOOP_COMPLETE'] : next;
    lines.push(
      `  hat_${index}:`,
      `    description: Does step ${index} of the work.`,
      `    triggers: [${triggers.join(', ')}]`,
      '    publishes:',
      ...publishes.map((topic) => `      - ${topic}`),
      '    instructions: |',
      `      Do step ${index}.`,
      '      Then hand on.',
    );
  }
  return `${lines.join('\n')}\n`;
}

function topicsOf(index) {
  return [0, 1, 2, 3, 4].map((number) => `ring.h${index}.t${number}`);
}
