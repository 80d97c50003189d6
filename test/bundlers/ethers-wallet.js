// A program of ethers: a wallet from a phrase (PBKDF2), an event's topic (Keccak), an address with
// its checksum, a keystore of scrypt.

import { Wallet, id, scryptSync } from 'ethers';

const phrase = `${'test '.repeat(11)}junk`;
const { address } = Wallet.fromPhrase(phrase);
const key = scryptSync(new Uint8Array(4), new Uint8Array(8), 1024, 8, 1, 32);
console.log(address, id('Transfer(address,address,uint256)'), key);
