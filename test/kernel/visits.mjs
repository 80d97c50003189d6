// Which files of cases/ run in which guest. Two guests run at a time; each boots in two seconds and
// has one CPU.

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

/** Cases without the tests' device and blocked modules, which also run outside of guests. */
export const anywhere = ['jobs', 'running', 'flight', 'conformance'];
