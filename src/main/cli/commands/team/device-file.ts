import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createPricing } from '../../../store/pricing/pricing.ts'
import { createBudget } from '../../../store/read/budget.ts'
import { createDatabaseFile } from '../../../store/read/database-file.ts'
import type { Reader } from '../../../store/read/reader.ts'
import type { RunSettings } from '../../settings-of-run.ts'

const pathOf = ({ dataDir, loaded }: RunSettings): string => resolve(dataDir, loaded.config.lifestats.db_path)

/** Returns whether this device has recorded anything. */
export const hasRecorded = (settings: RunSettings): boolean => existsSync(pathOf(settings))

/** Opens what this device has recorded; an empty database if that is nothing. */
export function openDeviceFile(settings: RunSettings): Disposable & { reader(): Reader } {
  const file = createDatabaseFile(pathOf(settings), createBudget(new Int32Array(1)), createPricing())
  return { reader: () => file.reader(), [Symbol.dispose]: () => file.close() }
}
