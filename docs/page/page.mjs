// What the page does: a file is chosen, hashed, sealed or opened with progress and a way to cancel;
// and the engines are measured.

import { getHashes, hashFile } from '../../dist/browser/promises.mjs';
import { isSealed, openFile, Refusal, sealFile } from './sealed-file.mjs';
import { bytes, draw, measure } from './speeds.mjs';

const at = (id) => document.getElementById(id);
const titles = { hash: 'Hash', seal: 'Seal', open: 'Open' };
const ENDING = '.sealed';

let file;
let running;
/** Of the last download. */
let link;

for (const name of getHashes())
  at('hash-algorithm').append(new Option(name, name, name === 'sha256', name === 'sha256'));

// ---- the file ------------------------------------------------------------------------------

at('file').addEventListener('change', () => choose(at('file').files[0]));
for (const [event, over] of [
  ['dragenter', true],
  ['dragover', true],
  ['dragleave', false],
  ['drop', false],
]) {
  at('drop').addEventListener(event, (drag) => {
    drag.preventDefault();
    at('drop').classList.toggle('over', over);
    if (event === 'drop') choose(drag.dataTransfer.files[0]);
  });
}

async function choose(chosen) {
  if (chosen === undefined || running !== undefined) return;
  file = chosen;
  at('file-name').textContent = `${file.name} (${bytes(file.size)})`;
  try {
    if (await isSealed(file)) setTask('open');
    else if (task() === 'open') setTask('seal');
    at('go').disabled = false;
  } catch {
    file = undefined;
    at('go').disabled = true;
    at('file-name').textContent = 'This cannot be read: drop a file, not a folder';
  }
  clear();
}

// ---- what to do with it ----------------------------------------------------------------------

function task() {
  return document.querySelector('[name=task]:checked').value;
}

function setTask(name) {
  document.querySelector(`[name=task][value=${name}]`).checked = true;
  showTask();
}

function showTask() {
  for (const fields of document.querySelectorAll('[data-task]'))
    fields.hidden = !fields.dataset.task.split(' ').includes(task());
  at('go').textContent = titles[task()];
  at('passphrase').required = task() !== 'hash';
}

for (const radio of document.querySelectorAll('[name=task]'))
  radio.addEventListener('change', () => (showTask(), clear()));
showTask();

at('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (file === undefined || running !== undefined) return;
  running = new AbortController();
  busy(true);
  const begin = performance.now();
  const given = { signal: running.signal, onPhase, onProgress };
  try {
    await works[task()](file, given);
    at('status').textContent =
      `${bytes(file.size)} in ${((performance.now() - begin) / 1000).toFixed(1)} s`;
    at('progress').value = 1;
  } catch (error) {
    at('status').textContent = '';
    at('work').hidden = true;
    if (running.signal.aborted) tell('Cancelled.');
    else if (error instanceof Refusal) tell(error.message, 'bad');
    else
      tell(
        error.name === 'NotReadableError'
          ? 'The file cannot be read any more.'
          : `It failed: ${error.message}`,
        'bad',
      );
  } finally {
    running = undefined;
    busy(false);
  }
});

at('cancel').addEventListener('click', () => running?.abort());

const works = {
  async hash(source, { signal, onPhase: phase, onProgress: progress }) {
    phase('Hashing');
    const algorithm = at('hash-algorithm').value;
    const sized = algorithm.startsWith('shake')
      ? { outputLength: algorithm === 'shake128' ? 32 : 64 }
      : {};
    const digest = await hashFile(algorithm, source, {
      ...sized,
      encoding: 'hex',
      signal,
      onProgress: ({ bytes: done }) => progress(source.size === 0 ? 1 : done / source.size),
    });
    const code = document.createElement('code');
    code.id = 'digest';
    code.textContent = digest;
    show(`${algorithm} of ${source.name}`, code);
  },
  async seal(source, given) {
    const sealed = await sealFile(source, {
      ...given,
      passphrase: passphrase(),
      cipher: at('cipher').value,
      cost: Number(at('cost').value),
    });
    show(
      'Sealed. Without the passphrase nobody can open it again.',
      download(sealed, source.name + ENDING),
    );
  },
  async open(source, given) {
    const opened = await openFile(source, { ...given, passphrase: passphrase() });
    show(
      'Authentic and whole.',
      download(
        opened,
        source.name.endsWith(ENDING)
          ? source.name.slice(0, -ENDING.length)
          : `${source.name}.opened`,
      ),
    );
  },
};

function passphrase() {
  return at('passphrase').value;
}

// ---- what is seen ----------------------------------------------------------------------------

let phaseTitle = '';

function onPhase(title) {
  phaseTitle = title;
  onProgress(0);
}

function onProgress(fraction) {
  at('progress').value = fraction;
  at('status').textContent = `${phaseTitle}: ${Math.floor(100 * fraction)} %`;
}

function busy(is) {
  at('go').disabled = is;
  at('cancel').hidden = !is;
  for (const element of document.querySelectorAll('#form select, #form input, [name=task], #file'))
    element.disabled = is;
  if (!is) return;
  clear();
  at('work').hidden = false;
}

function clear() {
  at('work').hidden = true;
  at('result').hidden = true;
  at('result').replaceChildren();
  if (link !== undefined) URL.revokeObjectURL(link);
  link = undefined;
}

function tell(text, kind) {
  const line = document.createElement('p');
  line.textContent = text;
  if (kind !== undefined) line.className = kind;
  at('result').replaceChildren(line);
  at('result').hidden = false;
}

function show(text, element) {
  tell(text, 'good');
  at('result').append(element);
}

function download(blob, name) {
  link = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  Object.assign(anchor, {
    href: link,
    download: name,
    className: 'download',
    id: 'download',
    textContent: `Save ${name} (${bytes(blob.size)})`,
  });
  return anchor;
}

// ---- speeds ------------------------------------------------------------------------------------

at('measure').addEventListener('click', async () => {
  at('measure').disabled = true;
  at('speeds').hidden = false;
  const algorithm = at('speed-algorithm').value;
  try {
    const series = await measure(algorithm, {
      onProgress: (fraction, size) =>
        (at('speed-status').textContent =
          `Measuring ${bytes(size)}: ${Math.floor(100 * fraction)} %`),
    });
    draw(series, at('chart'), at('figures'));
    at('speed-status').textContent =
      `${algorithm}, throughput by size of message; higher is better`;
  } catch (error) {
    at('speed-status').textContent = `It failed: ${error.message}`;
  } finally {
    at('measure').disabled = false;
  }
});
