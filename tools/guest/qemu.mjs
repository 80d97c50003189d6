import { Stop } from '../steps.mjs';
export async function prepareQemu() { throw new Stop('not yet'); }
