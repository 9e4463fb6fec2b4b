import { OPERATIONS } from './index.ts'
import { localZone } from '../wall-time.ts'

/** Returns an input whose dates are of this machine's time zone if it names none: what answers may be in another. */
export function inThisZone<Input>(name: string, input: Input): Input {
  const schema = OPERATIONS.find((operation) => operation.name === name)?.input
  return schema !== undefined && 'tz' in schema.shape ? { tz: localZone(), ...input } : input
}
