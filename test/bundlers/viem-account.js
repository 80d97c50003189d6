// A program of viem: an account from a phrase (PBKDF2), an event's topic (Keccak), and a client.

import { createPublicClient, http, keccak256, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { mainnet } from 'viem/chains';

const client = createPublicClient({ chain: mainnet, transport: http() });
const phrase = `${'test '.repeat(11)}junk`;
const { address } = mnemonicToAccount(phrase);
console.log(address, keccak256(toHex('Transfer(address,address,uint256)')), client.chain.id);
