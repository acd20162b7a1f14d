import type { Config } from '../config/config.js';
import { checkStore } from '../store-files.js';

/** Checks a data folder for damage, and prints the result. Returns true if there is none. */
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
      `${config.dataDir} is not sound. Keep a copy of it. Follow the advice above, or restore it from a backup.`,
    );
  return faults === 0;
}
