/**
 * Copies JSON data with its strings. A string cut out of a text keeps the whole text in memory: a working directory keeps
 * its system prompt. Use it for what outlives the request or answer it was found in.
 */
export function withOwnStrings<Data>(data: Data): Data {
  return JSON.parse(JSON.stringify(data)) as Data
}
