import { describeConfig } from '../../config/describe-config.ts'
import type { JsonFlag } from '../flags.ts'
import { print } from '../reading/add-reading-commands.ts'
import type { RunSettings } from '../settings-of-run.ts'
import { table } from '../table.ts'

/** `aspy config`: lists all settings, with their values and sources. */
export function listSettings({ loaded }: RunSettings, { json }: JsonFlag): void {
  const described = describeConfig(loaded)
  const text = table(described.items, {
    columns: {
      key: { name: 'Setting' },
      value: { name: 'Value', of: ({ value }) => JSON.stringify(value) },
      origin: { name: 'Source' },
      description: { name: 'Description', max: 200 },
    },
  })
  print({ json: described, text }, json)
}
