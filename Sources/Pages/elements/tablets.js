// The screens of tablets and telephones, which the kiosk does not load.
import './tablet-begin.js';
import './tablet-calibrate.js';
import './tablet-camera.js';
import './tablet-certificate.js';
import './tablet-devices.js';
import './tablet-disk.js';
import './tablet-gallery.js';
import './tablet-home.js';
import './tablet-invite.js';
import './tablet-look.js';
import './tablet-moderation.js';
import './tablet-pair.js';
import './tablet-postcard.js';
import './tablet-printer.js';
import './tablet-specimens.js';
