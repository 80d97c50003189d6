// Which files of cases/ are run in which kernel. A kernel is booted for each of these, two at a
// time: a boot takes two seconds, and each has one CPU.

export const visits = [
  { name: 'a kernel that has everything', cases: ['truth', 'jobs', 'running', 'limits'] },
  { name: 'another that has everything', cases: ['flight', 'device', 'conformance'] },
  {
    name: 'a kernel that refuses some modules',
    blocked: ['algif_aead', 'chacha_generic', 'chacha_x86_64', 'chacha'],
    cases: ['refused'],
  },
  { name: 'a kernel that refuses AF_ALG', blocked: ['af_alg'], cases: ['blocked'] },
];

/**
 * Those that need neither a device of ours nor modules refused: on a machine with AF_ALG they are
 * run there as well.
 */
export const anywhere = ['jobs', 'running', 'flight', 'conformance'];
