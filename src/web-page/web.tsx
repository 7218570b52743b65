/** The page that `ralph web` serves. */
import { render } from 'preact';
import { App } from './app.tsx';
import { createHttpSource } from './data/http-source.ts';
import { openSession } from './data/session.ts';

const root = document.getElementById('root') ?? document.body;
const session = await openSession();
if ('refused' in session) {
  render(
    <main>
      <h1>Ralph</h1>
      <p class="problem">{session.refused}</p>
    </main>,
    root,
  );
} else {
  let canSteer = true;
  const source = createHttpSource(session.token, () => canSteer);
  source.list().then(
    (list) => {
      canSteer = list.canSteer;
    },
    () => undefined,
  );
  render(<App source={source} only={null} onList={(list) => (canSteer = list.canSteer)} />, root);
}
