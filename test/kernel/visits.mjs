// Which files of cases/ run in which guest. Two guests run at a time; each boots in two seconds and
// has one CPU. `npm test` runs the files in `short`, `npm run test:kernel` those in `cases`.

export const visits = [
  {
    name: 'a kernel that has everything',
    cases: ['truth', 'jobs', 'running', 'limits'],
    short: ['truth', 'jobs', 'running'],
  },
  {
    name: 'another that has everything',
    cases: ['flight', 'device', 'conformance'],
    short: [],
  },
  {
    name: 'a kernel that refuses some modules',
    blocked: ['algif_aead', 'chacha_generic', 'chacha_x86_64', 'chacha'],
    cases: ['refused'],
    short: ['refused'],
  },
  {
    name: 'a kernel that refuses AF_ALG',
    blocked: ['af_alg'],
    cases: ['blocked'],
    short: ['blocked'],
  },
];

/** Cases without the tests' device and blocked modules, which also run outside of guests. */
export const anywhere = {
  cases: ['jobs', 'running', 'flight', 'conformance'],
  short: ['jobs', 'running'],
};
