// Starts a run and tells it something while it goes on: an event that is in the next prompt.
import { startRun } from 'ralph-hats';

const run = await startRun({ cwd: process.argv[2] });
for await (const record of run) {
  if (record.kind === 'input' && record.type === 'iteration-spawned' && record.iteration === 1) {
    console.log(run.emit('note.added', 'Mention the tides.').delivery);
  }
  if (record.kind === 'effect' && record.type === 'iteration-start') {
    const events = record.events.map(({ topic, source }) => `${topic} from ${source}`);
    console.log(`turn ${record.iteration}: ${events.join(', ')}`);
  }
}
console.log((await run.outcome).reason);
