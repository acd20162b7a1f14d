import type { Config } from '../config/config.js';
import { checkStore } from '../container.js';

/** Looks for damage in a data folder, and prints what it finds. True when there is none. */
export async function checkDataFolder(config: Config): Promise<boolean> {
  let faults = 0;
  for await (const checked of checkStore(config)) {
    faults += checked.faults.length;
    if (checked.faults.length === 0) console.log(`ok       ${checked.what}`);
    for (const fault of checked.faults) console.error(`DAMAGED  ${checked.what}: ${fault}`);
  }
  if (faults === 0) console.log(`${config.dataDir} is sound.`);
  else
    console.error(
      `${config.dataDir} is not sound. Keep a copy of it. Do what is said above, or restore it from a backup.`,
    );
  return faults === 0;
}
