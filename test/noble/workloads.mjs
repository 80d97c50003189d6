// Workloads of libraries that depend on noble, copied into a project where they are installed;
// prints nanoseconds of each as JSON. With `--ethers` Millrace is registered with ethers first.

const load = (name) => import(name);
const bytes = (size) => new Uint8Array(size).fill(9);

const { keccak256 } = await load('ethereum-cryptography/keccak.js');
const { sha256 } = await load('ethereum-cryptography/sha256.js');
const { pbkdf2Sync } = await load('ethereum-cryptography/pbkdf2.js');
const { scryptSync } = await load('ethereum-cryptography/scrypt.js');
const viem = await load('viem');
const { MerkleTree } = await load('merkletreejs');
const tree = await load('@chainsafe/persistent-merkle-tree');
const hasher = await load('@chainsafe/persistent-merkle-tree/hasher/noble');
const { createMPT } = await load('@ethereumjs/mpt');
const ethers = await load('ethers');
const accounts = await load('viem/accounts');
const nostr = await load('nostr-tools/pure');

if (process.argv.includes('--ethers')) {
  const { register } = await load('millrace/ethers');
  register(ethers);
}
const leaves = Array.from({ length: 1024 }, (_, i) => keccak256(Uint8Array.of(i, i >> 8)));
const typed = {
  domain: { name: 'Ether Mail', version: '1', chainId: 1 },
  types: {
    Mail: [
      { name: 'to', type: 'address' },
      { name: 'text', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: { to: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826', text: 'Hello, Bob!' },
};
tree.setHasher(hasher.hasher);
const privateKey = `0x${'07'.repeat(32)}`;
const signingKey = new ethers.SigningKey(privateKey);
const signature = signingKey.sign(bytes(32));
const event = nostr.finalizeEvent(
  { kind: 1, created_at: 1_700_000_000, tags: [], content: 'Hello, Bob!' },
  bytes(32),
);
const eventText = JSON.stringify(event);

const workloads = {
  'ethereum-cryptography: keccak256 of 32 B': [5000, () => keccak256(bytes(32))],
  'ethereum-cryptography: sha256 of 1 KiB': [2000, () => sha256(bytes(1024))],
  'ethereum-cryptography: pbkdf2, 2048 rounds of SHA-256': [
    4,
    () => pbkdf2Sync(bytes(16), bytes(16), 2048, 32, 'sha256'),
  ],
  'ethereum-cryptography: scrypt N=4096 r=8': [
    1,
    () => scryptSync(bytes(16), bytes(16), 4096, 8, 1, 32),
  ],
  'viem: keccak256 of 32 B': [3000, () => viem.keccak256(bytes(32))],
  'viem: hashTypedData': [200, () => viem.hashTypedData(typed)],
  'merkletreejs: tree of 1,024 leaves, keccak256': [
    2,
    () => new MerkleTree(leaves, (data) => Buffer.from(keccak256(data))).getRoot(),
  ],
  'persistent-merkle-tree: root of 1,024 nodes': [
    3,
    () => {
      const nodes = leaves.map((leaf) => tree.LeafNode.fromRoot(leaf));
      return tree.subtreeFillToContents(nodes, 10).root;
    },
  ],
  'ethereumjs: trie of 300 keys': [
    1,
    async () => {
      const trie = await createMPT();
      for (let i = 0; i < 300; i++) await trie.put(leaves[i], leaves[i + 1]);
      return trie.root();
    },
  ],
  'ethers: keccak256 of 32 B': [3000, () => ethers.keccak256(bytes(32))],
  'ethers: id of 20 characters': [3000, () => ethers.id('Transfer(address,ui)')],
  'ethers: computeHmac sha512 of 32 B': [
    2000,
    () => ethers.computeHmac('sha512', bytes(32), bytes(32)),
  ],
  'ethers: SigningKey.sign': [200, () => signingKey.sign(bytes(32)).serialized],
  'ethers: recoverAddress': [50, () => ethers.recoverAddress(bytes(32), signature)],
  'ethers: new Wallet': [50, () => new ethers.Wallet(privateKey).address],
  'viem: sign': [
    200,
    async () => (await accounts.sign({ hash: `0x${'09'.repeat(32)}`, privateKey })).s,
  ],
  'viem: privateKeyToAccount': [50, () => accounts.privateKeyToAccount(privateKey).address],
  'nostr-tools: verifyEvent': [50, () => String(nostr.verifyEvent(JSON.parse(eventText)))],
  'nostr-tools: finalizeEvent': [
    50,
    () => nostr.finalizeEvent(JSON.parse(eventText), bytes(32)).id,
  ],
  'ethers: scryptSync N=4096 r=8': [
    1,
    () => ethers.scryptSync(bytes(16), bytes(16), 4096, 8, 1, 32),
  ],
};

const times = {};
for (const [name, [calls, run]] of Object.entries(workloads)) {
  const result = await run();
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < calls; i++) await run();
    rounds.push(Number(process.hrtime.bigint() - begin) / calls);
  }
  const digest = Buffer.from(typeof result === 'string' ? result : Buffer.from(result)).toString(
    'hex',
  );
  times[name] = { ns: Math.min(...rounds), result: digest };
}
process.stdout.write(`\n#times ${JSON.stringify(times)}\n`);
