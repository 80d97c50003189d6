// The page hashes, seals or opens a file, with progress and cancelling, and measures the engines.

import { getHashes, hashFile } from '../../dist/browser/promises.mjs';
import { isSealed, openFile, Refusal, sealFile } from './sealed-file.mjs';
import { bytes, draw, measure } from './speeds.mjs';

const byId = (id) => document.getElementById(id);
const titles = { hash: 'Hash', seal: 'Seal', open: 'Open' };
const ENDING = '.sealed';

let file;
let running;
/** The object URL of the last download. */
let link;

for (const name of getHashes())
  byId('hash-algorithm').append(new Option(name, name, name === 'sha256', name === 'sha256'));

// ---- choosing a file -----------------------------------------------------------------------

byId('file').addEventListener('change', () => chooseFile(byId('file').files[0]));
for (const [event, over] of [
  ['dragenter', true],
  ['dragover', true],
  ['dragleave', false],
  ['drop', false],
]) {
  byId('drop').addEventListener(event, (drag) => {
    drag.preventDefault();
    byId('drop').classList.toggle('over', over);
    if (event === 'drop') chooseFile(drag.dataTransfer.files[0]);
  });
}

async function chooseFile(chosen) {
  if (chosen === undefined || running !== undefined) return;
  file = chosen;
  byId('file-name').textContent = `${file.name} (${bytes(file.size)})`;
  try {
    if (await isSealed(file)) setTask('open');
    else if (task() === 'open') setTask('seal');
    byId('go').disabled = false;
  } catch {
    file = undefined;
    byId('go').disabled = true;
    byId('file-name').textContent = 'This cannot be read. Choose a file, not a folder.';
  }
  clearResult();
}

// ---- the task ------------------------------------------------------------------------------

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
  byId('go').textContent = titles[task()];
  byId('passphrase').required = task() !== 'hash';
}

for (const radio of document.querySelectorAll('[name=task]'))
  radio.addEventListener('change', () => (showTask(), clearResult()));
showTask();

byId('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (file === undefined || running !== undefined) return;
  running = new AbortController();
  setBusy(true);
  const begin = performance.now();
  const given = { signal: running.signal, onPhase, onProgress };
  try {
    await tasks[task()](file, given);
    byId('status').textContent =
      `${bytes(file.size)} in ${((performance.now() - begin) / 1000).toFixed(1)} s`;
    byId('progress').value = 1;
  } catch (error) {
    byId('status').textContent = '';
    byId('work').hidden = true;
    if (running.signal.aborted) showMessage('Cancelled.');
    else if (error instanceof Refusal) showMessage(error.message, 'bad');
    else
      showMessage(
        error.name === 'NotReadableError'
          ? 'The file can no longer be read.'
          : `Failed: ${error.message}`,
        'bad',
      );
  } finally {
    running = undefined;
    setBusy(false);
  }
});

byId('cancel').addEventListener('click', () => running?.abort());

const tasks = {
  async hash(source, { signal, onPhase: phase, onProgress: progress }) {
    phase('Hashing');
    const algorithm = byId('hash-algorithm').value;
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
    showResult(`${algorithm} of ${source.name}`, code);
  },
  async seal(source, given) {
    const sealed = await sealFile(source, {
      ...given,
      passphrase: passphrase(),
      cipher: byId('cipher').value,
      cost: Number(byId('cost').value),
    });
    showResult(
      'Sealed. The file cannot be opened without the passphrase.',
      download(sealed, source.name + ENDING),
    );
  },
  async open(source, given) {
    const opened = await openFile(source, { ...given, passphrase: passphrase() });
    showResult(
      'The file is authentic and complete.',
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
  return byId('passphrase').value;
}

// ---- output --------------------------------------------------------------------------------

let phaseTitle = '';

function onPhase(title) {
  phaseTitle = title;
  onProgress(0);
}

function onProgress(fraction) {
  byId('progress').value = fraction;
  byId('status').textContent = `${phaseTitle}: ${Math.floor(100 * fraction)} %`;
}

function setBusy(is) {
  byId('go').disabled = is;
  byId('cancel').hidden = !is;
  for (const element of document.querySelectorAll('#form select, #form input, [name=task], #file'))
    element.disabled = is;
  if (!is) return;
  clearResult();
  byId('work').hidden = false;
}

function clearResult() {
  byId('work').hidden = true;
  byId('result').hidden = true;
  byId('result').replaceChildren();
  if (link !== undefined) URL.revokeObjectURL(link);
  link = undefined;
}

function showMessage(text, kind) {
  const line = document.createElement('p');
  line.textContent = text;
  if (kind !== undefined) line.className = kind;
  byId('result').replaceChildren(line);
  byId('result').hidden = false;
}

function showResult(text, element) {
  showMessage(text, 'good');
  byId('result').append(element);
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

// ---- speeds --------------------------------------------------------------------------------

byId('measure').addEventListener('click', async () => {
  byId('measure').disabled = true;
  byId('speeds').hidden = false;
  const algorithm = byId('speed-algorithm').value;
  try {
    const series = await measure(algorithm, {
      onProgress: (fraction, size) =>
        (byId('speed-status').textContent =
          `Measuring ${bytes(size)}: ${Math.floor(100 * fraction)} %`),
    });
    draw(series, byId('chart'), byId('figures'));
    byId('speed-status').textContent = `${algorithm}: throughput by message size; higher is better`;
  } catch (error) {
    byId('speed-status').textContent = `Failed: ${error.message}`;
  } finally {
    byId('measure').disabled = false;
  }
});
