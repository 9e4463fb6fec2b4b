/** The flag of an app that ends by itself some minutes after its last client. */
const FLAG = '--leave-after'

/** Returns the minutes that a command gives an app; null if it stays. */
export function minutesIn(command: readonly string[]): number | null {
  const at = command.findIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`))
  const given = command[at]?.split('=')[1] ?? command[at + 1]
  return at === -1 || given === undefined ? null : Number(given)
}
