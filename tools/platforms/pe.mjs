// Reads what a DLL of Windows exports and imports, and the oldest version of Windows it names.

import { textAt } from './elf.mjs';

const cpus = { 0x8664: 'x64', 0xaa64: 'arm64' };

/** @param {Buffer} file a PE32+ library; undefined for other files */
export function readPe(file) {
  if (file.toString('latin1', 0, 2) !== 'MZ') return undefined;
  const header = file.readUInt32LE(60) + 4;
  const library = 0x2000;
  if ((file.readUInt16LE(header + 18) & library) === 0) return undefined;
  const optional = header + 20;
  const sections = [];
  const table = optional + file.readUInt16LE(header + 16);
  for (let i = 0; i < file.readUInt16LE(header + 2); i++) {
    const at = table + i * 40;
    const [size, address, raw] = [8, 12, 20].map((field) => file.readUInt32LE(at + field));
    sections.push({ size, address, raw });
  }
  const place = (address) => {
    const section = sections.find(
      (each) => address >= each.address && address < each.address + each.size,
    );
    return address - section.address + section.raw;
  };
  const directory = (index) => file.readUInt32LE(optional + 112 + index * 8);
  const machine = file.readUInt16LE(header);
  return {
    cpu: cpus[machine] ?? `machine 0x${machine.toString(16)}`,
    // The directory of exceptions, by which a panic finds its handler.
    unwinds: directory(3) !== 0,
    exports: exportedNames(file, directory(0), place),
    needed: importedLibraries(file, directory(1), place),
    system: `${file.readUInt16LE(optional + 48)}.${file.readUInt16LE(optional + 50)}`,
  };
}

function exportedNames(file, address, place) {
  if (address === 0) return [];
  const at = place(address);
  const names = place(file.readUInt32LE(at + 32));
  return Array.from({ length: file.readUInt32LE(at + 24) }, (_, i) =>
    textAt(file, place(file.readUInt32LE(names + i * 4))),
  );
}

function importedLibraries(file, address, place) {
  const names = [];
  for (let at = place(address); file.readUInt32LE(at + 12) !== 0; at += 20)
    names.push(textAt(file, place(file.readUInt32LE(at + 12))));
  return names;
}
