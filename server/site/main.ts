/**
 * Builds the documentation as static pages: node main.js ROOT OUTPUT. Any web server can serve the output folder, and
 * no page needs anything from elsewhere.
 */
import { buildSite } from './build-site.js';

const [root = '', output = ''] = process.argv.slice(2);
await buildSite(root, output);
